-- Idempotency keys: see the table, in the initial migration. Both functions are called in the transaction of the keyed operation.

-- Takes a key of a caller's: 'in use' where another transaction has it, 'stored' with the first response, or 'free'; then the personal
-- space of the caller is locked, before all that the operation locks, as its revision is raised at the end.
--   locked: ids of further spaces to lock
CREATE FUNCTION take_idempotency_key(caller text, asked text, locked text[])
RETURNS TABLE (state text, fingerprint bytea, body bytea, operation_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- With the transaction, and with its process, the lock is gone.
  IF NOT pg_try_advisory_xact_lock(hashtextextended(caller || ' ' || asked, 1)) THEN
    RETURN QUERY SELECT 'in use', NULL::bytea, NULL::bytea, NULL;
    RETURN;
  END IF;
  -- A separate statement, which sees what was committed before the lock was taken.
  RETURN QUERY SELECT 'stored', fingerprint, body, operation_id FROM idempotency_keys
    WHERE user_id = caller AND key = asked AND created_at > clock_timestamp() - interval '24 hours';
  IF NOT FOUND THEN
    PERFORM lock_spaces(locked || caller);
    RETURN QUERY SELECT 'free', NULL::bytea, NULL::bytea, NULL;
  END IF;
END $$;

-- Stores the response, and raises the revision of the caller's personal space for it, without an entry in the log. Gives the id of
-- the operation that the transaction is.
CREATE FUNCTION store_response(caller text, asked text, request_fingerprint bytea, response bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  -- One that is older than a day.
  DELETE FROM idempotency_keys WHERE user_id = caller AND key = asked;
  WITH raised AS (
    UPDATE spaces SET revision = spaces.revision + 1 WHERE id = caller RETURNING revision
  )
  INSERT INTO idempotency_keys (user_id, key, fingerprint, body, revision, operation_id)
  SELECT caller, asked, request_fingerprint, response, revision, setting_of_transaction('announced')
  FROM raised;
  RETURN setting_of_transaction('announced');
END $$;
