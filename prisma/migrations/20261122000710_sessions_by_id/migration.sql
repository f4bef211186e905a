-- What its user is shown of a session: an id of its own, as what the cookie holds is a secret, and the device that signed
-- in. The sessions so far do not say: they end. Writers hold rows of sessions until they commit: this waits for them.
LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE;
DELETE FROM sessions;
ALTER TABLE sessions
  ADD COLUMN id text NOT NULL,
  ADD COLUMN device text NOT NULL CHECK (char_length(device) BETWEEN 1 AND 100),
  ADD CONSTRAINT sessions_id_key UNIQUE (id);
