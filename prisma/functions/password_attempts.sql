-- Begins an attempt for several subjects, if each has fewer attempts in progress and failures in its window than its maximum.
-- Locks order a subject's attempts, in one order. A separate statement counts, so it sees earlier commits.
--   ids: one for each subject; null if refused
--   refused_by: subject whose failures refuse it for longest; null if only attempts in progress do
--   retry_after: seconds until then
CREATE FUNCTION begin_attempt(
  subjects text[], max_failures integer[], window_seconds float8, trying_seconds float8,
  OUT ids bigint[], OUT refused_by text, OUT retry_after float8
) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hash) FROM (
    SELECT hashtextextended(tried, 0) AS hash FROM unnest(subjects) AS tried ORDER BY hash
  ) AS ordered;
  WITH counted AS MATERIALIZED (
    SELECT tried, max, counts.tries, counts.newest_failures[max] AS refused_since
    FROM unnest(subjects, max_failures) AS limits (tried, max), LATERAL (
      SELECT count(*) AS tries, array_agg(at ORDER BY at DESC) FILTER (
        WHERE failed OR at <= clock_timestamp() - make_interval(secs => trying_seconds)
      ) AS newest_failures
      FROM password_attempts
      WHERE subject = tried AND at > clock_timestamp() - make_interval(secs => window_seconds)
        -- Later ones are of a clock that was set back.
        AND at < clock_timestamp() + make_interval(secs => trying_seconds)
    ) AS counts
  ), begun AS (
    INSERT INTO password_attempts (subject, at)
    SELECT tried, clock_timestamp() FROM counted WHERE NOT EXISTS (SELECT FROM counted WHERE tries >= max)
    RETURNING id
  ), refusing AS (
    SELECT tried, refused_since FROM counted WHERE refused_since IS NOT NULL ORDER BY refused_since DESC LIMIT 1
  )
  SELECT (SELECT array_agg(id) FROM begun), refusing.tried,
    extract(epoch FROM refusing.refused_since - clock_timestamp()) + window_seconds
  INTO ids, refused_by, retry_after
  FROM (VALUES (1)) AS one LEFT JOIN refusing ON true;
END $$;
