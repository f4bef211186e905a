-- The devices that have signed in to an account, so that a sign-in from another one can be told of. Neither device nor
-- address can be read from the fingerprint: it is keyed, and an account's own.
CREATE TABLE known_devices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  fingerprint text NOT NULL,
  first_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (user_id, fingerprint)
);
CREATE INDEX known_devices_last_seen_at_idx ON known_devices (last_seen_at);
