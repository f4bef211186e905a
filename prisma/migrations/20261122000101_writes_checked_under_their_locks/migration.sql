-- What a write may do is looked up under its locks: a membership or a session can end while it waits for them. Each
-- statement of a volatile function sees a snapshot of its own, so that a function called by a statement sees what the
-- statement itself, whose snapshot is older than the locks, does not.

-- Spaces, out of some, that ids name: by themselves, or by a task, project or section in them.
CREATE FUNCTION spaces_touched(touched text[], within text[]) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  tasks_touched text[] := ARRAY(SELECT id FROM unnest(touched) AS id WHERE id LIKE 'task%');
  others text[] := ARRAY(SELECT id FROM unnest(touched) AS id WHERE id NOT LIKE 'task%');
BEGIN
  RETURN ARRAY(
    SELECT id FROM unnest(others) AS id WHERE id = ANY (within)
    UNION SELECT space_id FROM tasks WHERE id = ANY (tasks_touched) AND space_id = ANY (within)
    UNION SELECT space_id FROM projects WHERE id = ANY (others) AND space_id = ANY (within)
    UNION SELECT space_id FROM sections WHERE id = ANY (others) AND space_id = ANY (within)
  );
END $$;

-- The order of all writers: addresses, then spaces, then the session. Where something comes between that was not locked in
-- this order, PostgreSQL ends one of two that wait for each other, and it is tried again.

-- Orders what is done with e-mail addresses until the transaction ends.
CREATE FUNCTION lock_addresses(addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(address, 0) AS key FROM unnest(addresses) AS address ORDER BY 1) AS keys;
END $$;

-- Locks addresses, and then spaces with the personal spaces of the accounts that have the addresses.
CREATE FUNCTION lock_spaces_and_addresses(spaces text[], addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_addresses(addresses);
  PERFORM lock_spaces(spaces || ARRAY(SELECT id FROM users WHERE email = ANY (addresses)));
END $$;

-- Locks the spaces that a write touches, and answers those of them that the caller is a member of now. Who ends a
-- membership locks its space too: so it stays until the write commits. The session's row is kept from being deleted until
-- then: who ends it sets its end first, which waits for nobody, and then deletes the row, which waits for this. SQLSTATE
-- TG401 where it has ended already.
--   within: spaces that the caller was a member of when the request came; no others are locked for them
--   touched: ids of what the write is about, see spaces_touched
--   with_members: locks the personal spaces of the spaces' members too, whose tags the write may take off tasks
--   beside, addresses: locked as well, whatever the caller may do there
CREATE FUNCTION lock_for_write(
  caller text, session text, within text[], touched text[], with_members boolean,
  beside text[] DEFAULT '{}', addresses text[] DEFAULT '{}'
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  locked text[] := within;
BEGIN
  -- Where there is one space alone, nothing has to be read to know it.
  IF cardinality(within) > 1 THEN
    locked := spaces_touched(touched, within);
  END IF;
  IF with_members AND locked <> ARRAY[caller] THEN
    beside := beside || ARRAY(SELECT user_id FROM memberships WHERE space_id = ANY (locked));
  END IF;
  IF addresses = '{}' THEN
    PERFORM lock_spaces(locked || beside);
  ELSE
    PERFORM lock_spaces_and_addresses(locked || beside, addresses);
  END IF;
  -- After the spaces, by all writers: who ends a session waits for no space. By the clock, as the transaction has waited.
  PERFORM FROM sessions WHERE sid = session AND expire > clock_timestamp() FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE 'the session has ended' USING ERRCODE = 'TG401';
  END IF;
  IF cardinality(within) > 1 AND NOT spaces_touched(touched, within) <@ locked THEN
    RAISE 'something moved to another space' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN ARRAY(SELECT space_id FROM memberships WHERE user_id = caller AND space_id = ANY (locked));
END $$;

-- For use behind lock_for_write, with what it answered: those of the tasks that are within the spaces.
CREATE FUNCTION tasks_within(ids text[], within text[])
RETURNS TABLE (id text, space_id text, project_id text, section_id text, parent_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT id, space_id, project_id, section_id, parent_id
    FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within);
END $$;

DROP FUNCTION lock_tasks(text[], text[], text[]);
DROP FUNCTION lock_for_new_section(text);

-- Ten levels, and no task below itself, whatever moves a subtree: the levels above a moved task and those below it,
-- each counted no further than is needed to know. A new task has none below, and its level is checked as it is made.
CREATE FUNCTION hold_levels() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  levels integer;
BEGIN
  WITH RECURSIVE above AS (
    SELECT parent_id AS id, 1 AS level FROM tasks WHERE id = NEW.id AND parent_id IS NOT NULL
    UNION ALL SELECT tasks.parent_id, level + 1 FROM tasks JOIN above ON tasks.id = above.id
      WHERE tasks.parent_id IS NOT NULL AND level <= 10
  ), below AS (
    SELECT NEW.id AS id, 1 AS level
    UNION ALL SELECT tasks.id, level + 1 FROM tasks JOIN below ON tasks.parent_id = below.id WHERE level <= 10
  )
  SELECT (SELECT max(level) FROM above) + (SELECT max(level) FROM below) INTO levels;
  IF levels > 10 THEN
    RAISE 'a tree of tasks has ten levels at the most' USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_levels_check';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER hold_levels AFTER UPDATE OF parent_id ON tasks DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL AND NEW.parent_id IS DISTINCT FROM OLD.parent_id)
  EXECUTE FUNCTION hold_levels();
