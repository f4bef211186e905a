-- For the keyed operation's transaction.

-- State: 'in use' by another transaction, 'stored' with the first response, or 'free'. Then the personal space is locked first,
-- because its revision is raised at the end.
--   asked: NULL is always free
--   locked: further spaces
CREATE FUNCTION take_idempotency_key(caller text, asked text, locked text[])
RETURNS TABLE (state text, fingerprint bytea, body bytea, operation_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- The lock ends with the transaction or its process.
  IF NOT pg_try_advisory_xact_lock(hashtextextended(caller || ' ' || asked, 1)) THEN
    RETURN QUERY SELECT 'in use', NULL::bytea, NULL::bytea, NULL;
    RETURN;
  END IF;
  -- A separate statement sees all commits before the lock.
  RETURN QUERY SELECT 'stored', fingerprint, body, operation_id FROM idempotency_keys
    WHERE user_id = caller AND key = asked AND created_at > clock_timestamp() - interval '24 hours';
  IF NOT FOUND THEN
    PERFORM lock_spaces(locked || caller);
    RETURN QUERY SELECT 'free', NULL::bytea, NULL::bytea, NULL;
  END IF;
END $$;

-- Raises the personal space's revision without a log entry. Returns the operation's id.
--   asked: NULL stores nothing
CREATE FUNCTION store_response(caller text, asked text, request_fingerprint bytea, response bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF asked IS NOT NULL THEN
    -- Older than a day.
    DELETE FROM idempotency_keys WHERE user_id = caller AND key = asked;
    WITH raised AS (
      UPDATE spaces SET revision = spaces.revision + 1 WHERE id = caller RETURNING revision
    )
    INSERT INTO idempotency_keys (user_id, key, fingerprint, body, revision, operation_id)
    SELECT caller, asked, request_fingerprint, response, revision, setting_of_transaction('announced')
    FROM raised;
  END IF;
  RETURN setting_of_transaction('announced');
END $$;
