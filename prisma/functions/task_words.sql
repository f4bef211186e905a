CREATE FUNCTION set_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- A copy of a task has its words.
  IF TG_OP = 'INSERT' AND NEW.search IS NOT NULL THEN
    RETURN NEW;
  END IF;
  NEW.search := setweight(to_tsvector('simple', search_text(NEW.title)), 'A')
    || setweight(to_tsvector('simple', search_text(coalesce(NEW.description, ''))), 'B');
  RETURN NEW;
END $$;
CREATE TRIGGER set_search BEFORE INSERT OR UPDATE OF title, description, search ON tasks
  FOR EACH ROW EXECUTE FUNCTION set_search();
-- Also for rows that are loaded without other triggers.
ALTER TABLE tasks ENABLE ALWAYS TRIGGER set_search;

-- Under their space's lock, so no two writers wait for each other. Statement triggers fire by name: this one follows the log's,
-- which takes the lock.
CREATE FUNCTION note_words_of_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_words (space_id, word)
  SELECT DISTINCT space_id, lexeme FROM new_rows, unnest(search) ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
-- The next occurrences and restored tasks have words that their space had before.
CREATE TRIGGER note_words_on_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT
  WHEN (coalesce(current_setting('taskgate.consequence', true), '') = '') EXECUTE FUNCTION note_words_of_created();

-- A row trigger can be limited to columns: other updates cost nothing. It fires before the log's, so it takes the lock itself.
CREATE FUNCTION note_words_of_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_spaces(ARRAY[NEW.space_id]);
  INSERT INTO task_words (space_id, word) SELECT NEW.space_id, lexeme FROM unnest(NEW.search) ORDER BY 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_words_on_update AFTER UPDATE OF title, description, space_id ON tasks
  FOR EACH ROW WHEN (OLD.search IS DISTINCT FROM NEW.search OR OLD.space_id <> NEW.space_id)
  EXECUTE FUNCTION note_words_of_updated();
