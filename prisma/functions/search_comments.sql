-- Words of a space have its prefix, so a search for their beginnings reads no words of other spaces. Spaces may share a prefix.
CREATE FUNCTION word_prefix(space text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT left(md5(space), 8) $$;

CREATE FUNCTION set_search_of_comment() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A move keeps the words.
  IF TG_OP = 'UPDATE' AND NEW.space_id <> OLD.space_id AND NEW.text = OLD.text THEN
    NEW.search := array_to_tsvector(ARRAY(
      SELECT word_prefix(NEW.space_id) || substr(word, 9) FROM unnest(tsvector_to_array(OLD.search)) AS word
    ));
    RETURN NEW;
  END IF;
  NEW.search := array_to_tsvector(ARRAY(
    SELECT word_prefix(NEW.space_id) || word FROM unnest(tsvector_to_array(to_tsvector('simple', search_text(NEW.text)))) AS word
    WHERE octet_length(word) <= 2000
  ));
  RETURN NEW;
END $$;
CREATE TRIGGER set_search BEFORE INSERT OR UPDATE OF text, space_id, search ON comments
  FOR EACH ROW EXECUTE FUNCTION set_search_of_comment();
-- Also for rows that are loaded without other triggers.
ALTER TABLE comments ENABLE ALWAYS TRIGGER set_search;

-- Newest first.
CREATE FUNCTION matching_comment_ids(spaces text[], asked text, most integer) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  WITH wanted AS MATERIALIZED (
    SELECT space_id, string_agg(quote_literal(word_prefix(space_id) || word) || ':*', ' & ')::tsquery AS query
    FROM unnest(spaces) AS space (space_id), unnest(tsvector_to_array(to_tsvector('simple', search_text(asked)))) AS word
    WHERE octet_length(word) <= 2000
    GROUP BY space_id
  )
  SELECT found.id FROM wanted, LATERAL (
    SELECT id, created_at FROM comments WHERE space_id = wanted.space_id AND search @@ wanted.query
    ORDER BY created_at DESC, id DESC LIMIT most
  ) AS found
  ORDER BY found.created_at DESC, found.id DESC LIMIT most
$$;
