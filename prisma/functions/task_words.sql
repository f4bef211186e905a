-- The words by which a search finds a task.
CREATE FUNCTION set_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search := setweight(to_tsvector('simple', search_text(NEW.title)), 'A')
    || setweight(to_tsvector('simple', search_text(coalesce(NEW.description, ''))), 'B');
  RETURN NEW;
END $$;
CREATE TRIGGER set_search BEFORE INSERT OR UPDATE OF title, description, search ON tasks
  FOR EACH ROW EXECUTE FUNCTION set_search();
-- Also for rows that are loaded without the other triggers.
ALTER TABLE tasks ENABLE ALWAYS TRIGGER set_search;

-- Words are noted under the lock of their space, so that two writers of the same new words never wait for each other
-- in a circle. Triggers of a statement fire in the order of their names: this one behind the log's, which takes that lock.
CREATE FUNCTION note_words_of_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_words (space_id, word)
  SELECT DISTINCT space_id, lexeme FROM new_rows, unnest(search) ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_words_on_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_words_of_created();

-- Of a row, as only such a trigger can be for some columns: other updates cost nothing. It fires before the log's,
-- and so takes the lock itself.
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
