-- For use after lock_for_write, with its result. Claims an open task, whose former claim has ended. No row if it is elsewhere.
--   at_revision: NULL, or the revision of the space when the caller chose the task
CREATE FUNCTION claim_task(
  task text, at_revision bigint, within text[], holder text, credential text, client_name text, seconds integer
) RETURNS TABLE (outcome text, fence bigint, expires_at timestamptz) LANGUAGE plpgsql AS $$
BEGIN
  outcome := (
    SELECT CASE WHEN spaces.revision <> at_revision THEN 'stale' WHEN tasks.completed THEN 'completed'
      WHEN EXISTS (SELECT FROM claims_in_force AS claim WHERE claim.task_id = task) THEN 'taken' ELSE 'claimed' END
    FROM tasks JOIN spaces ON spaces.id = tasks.space_id WHERE tasks.id = task AND tasks.space_id = ANY (within)
  );
  IF outcome IS NULL THEN
    RETURN;
  END IF;
  IF outcome = 'claimed' THEN
    DELETE FROM claims WHERE claims.task_id = task;
    -- A restored sequence gives its numbers again. The random digits keep a fence of the lost history from another claim.
    INSERT INTO claims AS claim (fence, task_id, user_id, credential_id, client, expires_at) OVERRIDING SYSTEM VALUE
    VALUES (nextval('claims_fence_seq') * 1000000 + floor(random() * 1000000)::integer, task, holder, credential, client_name,
      clock_timestamp() + make_interval(secs => seconds))
    RETURNING claim.fence, claim.expires_at INTO fence, expires_at;
  END IF;
  RETURN NEXT;
END $$;

-- For use after lock_for_write, with its result. SQLSTATE TG409 if the claim is not in force, or its task elsewhere. NULL if another
-- credential holds it, unless a session releases it.
--   seconds: until its new end; NULL releases it
CREATE FUNCTION change_claim(of_fence bigint, within text[], credential text, is_session boolean, seconds integer)
RETURNS timestamptz LANGUAGE plpgsql AS $$
DECLARE
  claim claims_in_force;
BEGIN
  SELECT * INTO claim FROM claims_in_force WHERE fence = of_fence AND space_id = ANY (within);
  IF NOT FOUND THEN
    RAISE 'the claim has ended' USING ERRCODE = 'TG409';
  ELSIF claim.credential_id <> credential AND NOT (is_session AND seconds IS NULL) THEN
    RETURN NULL;
  ELSIF seconds IS NULL THEN
    DELETE FROM claims WHERE fence = of_fence;
  ELSE
    UPDATE claims SET expires_at = clock_timestamp() + make_interval(secs => seconds) WHERE fence = of_fence
    RETURNING expires_at INTO claim.expires_at;
  END IF;
  RETURN claim.expires_at;
END $$;

-- Deletes claims that are no longer in force, and returns their number. For use under the lock of the tasks' space.
CREATE FUNCTION end_claims(of_tasks text[]) RETURNS bigint LANGUAGE sql VOLATILE AS $$
  WITH ended AS (
    DELETE FROM claims WHERE task_id = ANY (of_tasks) AND fence NOT IN (SELECT fence FROM claims_in_force WHERE task_id = ANY (of_tasks))
    RETURNING fence
  )
  SELECT count(*) FROM ended
$$;

-- Entries of the log, without history: there is nothing to undo. Deleted tasks have their own entries.
CREATE FUNCTION log_claims() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (space_id, 'TASK', 'UPDATED', array_agg(id), '{claim}', project_id, NULL)::change_entry
    FROM tasks WHERE id = ANY (ARRAY(SELECT task_id FROM changed_rows)) GROUP BY space_id, project_id
  ));
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON claims REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_claims();
CREATE TRIGGER log_delete AFTER DELETE ON claims REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_claims();

CREATE FUNCTION end_claim_of_completed() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
  -- Most tasks have no claim, and a bulk completes a thousand.
  IF EXISTS (SELECT FROM claims WHERE task_id = NEW.id) THEN
    PERFORM end_claims(ARRAY[NEW.id]);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER end_claim_of_completed AFTER UPDATE OF completed ON tasks
  FOR EACH ROW WHEN (NEW.completed AND NOT OLD.completed) EXECUTE FUNCTION end_claim_of_completed();
