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
