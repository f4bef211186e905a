-- A membership or session can end while a write waits, so it is read under the locks. Each statement of a volatile function has
-- a new snapshot, so it sees rows that its caller, whose snapshot is older than the locks, does not.

-- Order of all locks: spaces by id, the session, the claim, addresses, related revisions by id. A writer that waits for a space holds only
-- its own personal space and workspaces of its memberships and invitations: nobody locks another user's, except to delete the
-- account that created a task there. Nothing waits after the spaces, so later locks are short.

-- By id, so no two writers wait for each other.
CREATE FUNCTION lock_spaces(ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM spaces WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- Until the end of the transaction.
CREATE FUNCTION lock_addresses(addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(key)
  FROM (SELECT DISTINCT hashtextextended(address, 0) AS key FROM unnest(addresses) AS address ORDER BY 1) AS keys;
END $$;

-- Returns the locked spaces of which the caller is a member. Changing a membership locks its space too, so memberships last until
-- the commit. So does the row of the session or token: ending it sets the expiry, without a wait, and then deletes the row, which
-- waits. SQLSTATE TG401 if it has ended, TG403 if the caller has too low a role in one of the spaces, TG409 if the claim has ended.
--   needed: the least role
--   locked: the process has queued the write for these
--   moving: ids that may have moved to other spaces; see spaces_of_ids (tracked_tables.sql)
--   within: the caller's spaces at the request
--   client: device or name of the token
--   request: name for announce_operation; null in a transaction that has one
--   under_fence: of a claim of the session or token, which lasts until the commit, too
CREATE FUNCTION lock_for_write(
  caller text, session text, needed "WorkspaceRole", locked text[], moving text[], within text[], addresses text[],
  client text DEFAULT NULL, request text DEFAULT NULL, under_fence bigint DEFAULT NULL
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  spaces_of_caller text[];
  lowest "WorkspaceRole";
BEGIN
  IF request IS NOT NULL THEN
    PERFORM set_config('taskgate.actor', caller, true), set_config('taskgate.client', client, true),
      set_config('taskgate.request', request, true);
  END IF;
  -- lock_spaces without the call, and memberships with the session, because each write pays for both.
  PERFORM FROM spaces WHERE id = ANY (locked) ORDER BY id FOR NO KEY UPDATE;
  -- After the spaces, so ending a session waits for no space. By the clock, because the transaction has waited.
  SELECT own.* INTO spaces_of_caller, lowest FROM sessions, LATERAL (
    SELECT array_agg(space_id), min(role) FROM memberships WHERE user_id = caller AND space_id = ANY (locked)
  ) AS own WHERE sid = session AND expire > clock_timestamp() FOR KEY SHARE OF sessions;
  IF NOT FOUND THEN
    SELECT own.* INTO spaces_of_caller, lowest FROM access_tokens, LATERAL (
      SELECT array_agg(space_id), min(role) FROM memberships WHERE user_id = caller AND space_id = ANY (locked)
    ) AS own WHERE hash = session AND coalesce(expires_at, 'infinity') > clock_timestamp() FOR KEY SHARE OF access_tokens;
  END IF;
  IF NOT FOUND THEN
    RAISE 'the session has ended' USING ERRCODE = 'TG401';
  END IF;
  IF under_fence IS NOT NULL THEN
    PERFORM FROM claims WHERE fence = under_fence FOR KEY SHARE;
    -- Only this transaction can end a claim that it has checked, such as by completing the task.
    IF (FOUND OR setting_of_transaction('fence') IS DISTINCT FROM under_fence::text)
      AND NOT EXISTS (SELECT FROM claims_in_force AS claim WHERE claim.fence = under_fence AND claim.key = session)
    THEN
      RAISE 'the claim has ended' USING ERRCODE = 'TG409';
    END IF;
    PERFORM set_config('taskgate.fence', under_fence::text, true);
  END IF;
  IF moving <> '{}' AND NOT spaces_of_ids(moving, within) <@ locked THEN
    RAISE 'something moved to another space' USING ERRCODE = 'serialization_failure';
  END IF;
  IF lowest < needed THEN
    RAISE 'the role does not suffice' USING ERRCODE = 'TG403';
  END IF;
  IF addresses <> '{}' THEN
    PERFORM lock_addresses(addresses);
  END IF;
  RETURN coalesce(spaces_of_caller, '{}');
END $$;

-- For use after lock_for_write, with its result: the caller's role in each space.
CREATE FUNCTION roles_within(caller text, within text[]) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT jsonb_object_agg(space_id, role) FROM memberships WHERE user_id = caller AND space_id = ANY (within));
END $$;

-- For use after lock_for_write, with its result.
CREATE FUNCTION tasks_within(ids text[], within text[])
RETURNS TABLE (
  id text, space_id text, project_id text, section_id text, parent_id text, completed boolean, repeats boolean,
  assignee_ids text[]
)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT id, space_id, project_id, section_id, parent_id, completed, recurrence IS NOT NULL, assignee_ids
    FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within);
END $$;

-- For use after lock_for_write: also removes tags that another process added while it waited.
CREATE FUNCTION remove_tags(tasks text[], owner text, kept text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM task_tags WHERE task_id = ANY (tasks) AND space_id = owner AND tag_id <> ALL (kept);
END $$;

-- Otherwise a new account and an invitation to its address would not see each other.
CREATE FUNCTION lock_address_of_new_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_addresses(ARRAY[NEW.email]);
  RETURN NEW;
END $$;
CREATE TRIGGER lock_address BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION lock_address_of_new_user();
