-- A row for each try of a password that is under way or has failed; one that succeeded is deleted.
CREATE TABLE password_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- What is tried, and for which address or account.
  subject text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  failed boolean NOT NULL DEFAULT false
);
CREATE INDEX password_attempts_subject_at_idx ON password_attempts (subject, at);
CREATE INDEX password_attempts_at_idx ON password_attempts (at);

-- Begins a try of a subject where those under way and the failures of the window are fewer than so many. The lock orders
-- the tries of a subject; they are counted by a statement of its own, which sees what was committed before it began.
--   id: of the try; null where it may not be made, or not now
--   retry_after: seconds until a failure no longer counts; null where failures are not what refuses
CREATE FUNCTION begin_attempt(
  tried text, max_failures integer, window_seconds float8, trying_seconds float8,
  OUT id bigint, OUT retry_after float8
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(tried, 0));
  WITH counted AS (
    SELECT at, failed OR at <= clock_timestamp() - make_interval(secs => trying_seconds) AS failed
    FROM password_attempts
    WHERE subject = tried AND at > clock_timestamp() - make_interval(secs => window_seconds)
  ), begun AS (
    INSERT INTO password_attempts (subject) SELECT tried WHERE (SELECT count(*) FROM counted) < max_failures
    RETURNING password_attempts.id
  ), oldest AS (
    SELECT at FROM counted WHERE failed ORDER BY at DESC OFFSET max_failures - 1 LIMIT 1
  )
  SELECT (SELECT begun.id FROM begun), (SELECT extract(epoch FROM at - clock_timestamp()) + window_seconds FROM oldest)
  INTO id, retry_after;
END $$;
