-- Counters live for minutes to a day, so that none is carried over. Keys are of bounded length (docs/decisions/0620), and
-- a moment is PostgreSQL's own: processes whose clocks differ agree on when a counter ends.
DROP TABLE rate_limits;
CREATE TABLE rate_limits (
  key TEXT PRIMARY KEY,
  points INTEGER NOT NULL,
  expires_at TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX rate_limits_expires_at_idx ON rate_limits (expires_at);
