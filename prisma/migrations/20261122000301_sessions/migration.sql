-- What is known of a session stands in columns: whose it is is held by a foreign key, when it ends by the database's
-- clock. `sid` and `expire` are named as connect-pg-simple has them. Nobody is signed in by it any more: the sessions
-- so far do not say when they began.
DROP TABLE sessions;

CREATE TABLE sessions (
  sid text PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_used_at timestamptz(3) NOT NULL DEFAULT now(),
  expire timestamptz(3) NOT NULL
);
CREATE INDEX sessions_user_id_idx ON sessions (user_id);
CREATE INDEX sessions_expire_idx ON sessions (expire);
