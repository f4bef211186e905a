-- The locks by which writers keep to one order. What a write builds on is read under them: a membership or a session can
-- end while it waits. Each statement of a volatile function sees a new snapshot, so that a function called by a
-- statement sees what the statement itself, whose snapshot is older than the locks, does not.

-- The order of all writers: spaces, by id, then the session, then addresses, then related revisions, by id. A writer that waits for
-- a space holds only its own personal one, and workspaces of its own memberships and invitations, sent or received:
-- nobody locks the personal space of somebody else. What comes after the spaces is held for a moment, as the transaction waits for nothing
-- then.

-- Locks spaces in the order of their ids, so that two writers never wait for each other in a circle.
CREATE FUNCTION lock_spaces(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM spaces WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- Orders what is done with e-mail addresses until the transaction ends.
CREATE FUNCTION lock_addresses(addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(address, 0) AS key FROM unnest(addresses) AS address ORDER BY 1) AS keys;
END $$;

-- Locks the spaces of a write, and answers those of them that the caller is a member of now. Who ends a membership locks
-- its space too: so it stays until the write commits. The row of the session, or token, is kept from being deleted until then: who ends
-- it sets its end first, which waits for nobody, and then deletes the row, which waits for this. SQLSTATE TG401 where it
-- has ended already.
--   locked: ids of the spaces, those by which the process has queued the write
--   touched: ids of what the write is about, where that may have moved to another space since; see spaces_touched (tracked_tables.sql)
--   within: spaces that the caller was a member of when the request came; no others are locked for what is touched
--   addresses: locked as well
--   client: what the caller acts by, a device or the name of a token; written beside what the transaction changes
--   request: by which the process knows the operation that is announced (operations.sql); null within a transaction that has one
CREATE FUNCTION lock_for_write(
  caller text, session text, locked text[], touched text[], within text[], addresses text[],
  client text DEFAULT NULL, request text DEFAULT NULL
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  spaces_of_caller text[];
BEGIN
  IF request IS NOT NULL THEN
    PERFORM set_config('taskgate.actor', caller, true), set_config('taskgate.client', client, true),
      set_config('taskgate.request', request, true);
  END IF;
  -- As lock_spaces does, without the call; memberships are read with the session: both are paid by each write.
  PERFORM FROM spaces WHERE id = ANY (locked) ORDER BY id FOR NO KEY UPDATE;
  -- After the spaces, by all writers: who ends a session waits for no space. By the clock, as the transaction has waited.
  SELECT ARRAY(SELECT space_id FROM memberships WHERE user_id = caller AND space_id = ANY (locked)) INTO spaces_of_caller
  FROM sessions WHERE sid = session AND expire > clock_timestamp() FOR KEY SHARE;
  IF NOT FOUND THEN
    SELECT ARRAY(SELECT space_id FROM memberships WHERE user_id = caller AND space_id = ANY (locked)) INTO spaces_of_caller
    FROM access_tokens
    WHERE hash = session AND coalesce(expires_at, 'infinity') > clock_timestamp() FOR KEY SHARE;
  END IF;
  IF NOT FOUND THEN
    RAISE 'the session has ended' USING ERRCODE = 'TG401';
  END IF;
  IF touched <> '{}' AND NOT spaces_touched(touched, within) <@ locked THEN
    RAISE 'something moved to another space' USING ERRCODE = 'serialization_failure';
  END IF;
  IF addresses <> '{}' THEN
    PERFORM lock_addresses(addresses);
  END IF;
  RETURN spaces_of_caller;
END $$;

-- For use after lock_for_write, with what it answered: those of the tasks that are within the spaces.
CREATE FUNCTION tasks_within(ids text[], within text[])
RETURNS TABLE (id text, space_id text, project_id text, section_id text, parent_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT id, space_id, project_id, section_id, parent_id
    FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within);
END $$;

-- An account and an invitation of its address are made one after another: else neither would know of the other.
CREATE FUNCTION lock_address_of_new_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_addresses(ARRAY[NEW.email]);
  RETURN NEW;
END $$;
CREATE TRIGGER lock_address BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION lock_address_of_new_user();
