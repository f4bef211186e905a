-- Writers of another process begin by locking or raising a space: those under way end first, and none begins
-- meanwhile. Else one that holds tasks and waits for a space could bring this to a deadlock.
LOCK TABLE spaces IN EXCLUSIVE MODE;

-- The words of a space's tasks: a prefix becomes the words that begin with it, a misspelt word those that are
-- like it, and only these are looked for in the tasks. So a search does not grow with what other spaces hold,
-- and likeness is measured against few words instead of every text. A word stays when the last task that had
-- it goes: it finds nothing then.
CREATE TABLE task_words (
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  word text NOT NULL COLLATE "C",
  PRIMARY KEY (space_id, word)
);

-- Where a database knows ASCII letters alone, as with LC_CTYPE=C, pg_trgm skips all others: each is given one
-- of ASCII to stand for it. That two share one at times makes words a little more alike than they are. Its cost
-- has the planner take the index of likeness: by the average space it would go through all words of a large one.
CREATE FUNCTION trigram_letters(word text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT COST 10000 AS $$
  SELECT CASE WHEN word ~ '^[ -~]*$' COLLATE "C" THEN word ELSE (
    SELECT string_agg(
      CASE WHEN ascii(sign) < 128 THEN sign
      ELSE substr('0123456789abcdefghijklmnopqrstuvwxyz', 1 + ascii(sign) % 36, 1) END, '' ORDER BY place)
    FROM regexp_split_to_table(word, '') WITH ORDINALITY AS each (sign, place)
  ) END
$$;

INSERT INTO task_words (space_id, word)
SELECT DISTINCT space_id, lexeme FROM tasks, unnest(search) ORDER BY 1, 2;

-- A number is never another one misspelt, and what is very long is no word.
CREATE INDEX task_words_likeness_idx ON task_words USING gin (space_id, trigram_letters(word) gin_trgm_ops)
  WITH (gin_pending_list_limit = 128)
  WHERE word ~ '[^-+.0-9]' AND char_length(word) <= 64;

-- Likeness is no longer looked for in tasks.
DROP INDEX tasks_title_trgm_idx;
DROP INDEX tasks_description_trgm_idx;

-- Words are noted under the lock of their space, so that two writers of the same new words never wait for each other
-- in a circle. Triggers of a statement fire in the order of their names: this one behind the log's, which takes that lock.
CREATE FUNCTION note_words_of_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_words (space_id, word)
  SELECT DISTINCT space_id, lexeme FROM new_rows, unnest(search) ORDER BY 1, 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE FUNCTION note_words_of_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_spaces(ARRAY[NEW.space_id]);
  INSERT INTO task_words (space_id, word) SELECT NEW.space_id, lexeme FROM unnest(NEW.search) ORDER BY 2
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE TRIGGER note_words_on_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_words_of_created();
-- Of a row, as only such a trigger can be for some columns: other updates cost nothing. It fires before the log's,
-- and so takes the lock itself.
CREATE TRIGGER note_words_on_update AFTER UPDATE OF title, description, space_id ON tasks
  FOR EACH ROW WHEN (OLD.search IS DISTINCT FROM NEW.search OR OLD.space_id <> NEW.space_id)
  EXECUTE FUNCTION note_words_of_updated();
