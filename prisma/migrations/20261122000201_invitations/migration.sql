-- Writers of another process begin with a space, sign-ups with a space and then a user, changes of a profile with a user
-- and then spaces: this waits for those under way while it holds nothing, and tries again.
DO $$
BEGIN
  LOOP
    BEGIN
      LOCK TABLE spaces IN EXCLUSIVE MODE;
      LOCK TABLE users IN EXCLUSIVE MODE NOWAIT;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
END $$;

-- The offer of a membership to whoever has the address. A row goes when it is accepted, declined or revoked, with its
-- workspace, with the account that invited, and some time after it expired. Addresses are written as accounts write theirs.
CREATE TABLE invitations (
  id text PRIMARY KEY,
  space_id text NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  email text NOT NULL,
  invited_by_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT invitations_space_id_email_key UNIQUE (space_id, email)
);
CREATE INDEX invitations_email_idx ON invitations (email);
CREATE INDEX invitations_invited_by_id_idx ON invitations (invited_by_id);
CREATE INDEX invitations_expires_at_idx ON invitations (expires_at);

-- What everybody reads: nobody can forget that an invitation ends, and it ends by the clock of the database.
CREATE VIEW open_invitations AS SELECT * FROM invitations WHERE expires_at > statement_timestamp();

-- The invitations of the last day, by whom and to whom, whatever became of them: the quota of an account and of an address.
CREATE TABLE sent_invitations (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  invited_by_id text NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  email text NOT NULL,
  sent_at timestamptz(3) NOT NULL DEFAULT statement_timestamp()
);
CREATE INDEX sent_invitations_invited_by_id_sent_at_idx ON sent_invitations (invited_by_id, sent_at);
CREATE INDEX sent_invitations_email_sent_at_idx ON sent_invitations (email, sent_at);
CREATE INDEX sent_invitations_sent_at_idx ON sent_invitations (sent_at);

-- Revisions --------------------------------------------------------------------------------------
-- What is shown in a space without being written to it: the names of its members, its invitations, and in a personal
-- space the invitations to its user's address. A revision of its own, for who raises it may have nothing to do with the
-- space, and must neither wait for its writers nor have them wait. It is raised last in a transaction, when all else is
-- locked, and so is held for a moment only.
CREATE TABLE related_revisions (
  space_id text PRIMARY KEY REFERENCES spaces (id) ON DELETE CASCADE,
  revision bigint NOT NULL DEFAULT 0
);
INSERT INTO related_revisions (space_id) SELECT id FROM spaces;

CREATE FUNCTION begin_related_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO related_revisions (space_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER begin_related_revision AFTER INSERT ON spaces FOR EACH ROW EXECUTE FUNCTION begin_related_revision();

-- Raises the related revisions of spaces, and of the personal spaces of the accounts that have the addresses.
CREATE FUNCTION raise_related(spaces text[], addresses text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  raised text[];
BEGIN
  PERFORM lock_addresses(addresses);
  raised := spaces || ARRAY(SELECT id FROM users WHERE email = ANY (addresses));
  PERFORM FROM related_revisions WHERE space_id = ANY (raised) ORDER BY space_id FOR NO KEY UPDATE;
  UPDATE related_revisions SET revision = revision + 1 WHERE space_id = ANY (raised);
END $$;

-- An invitation is seen by the members of its workspace and by the account that has the address. It is written under the
-- lock of its workspace.
CREATE FUNCTION raise_revision_of_invited() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  workspaces text[] := '{}';
  addresses text[] := '{}';
BEGIN
  IF TG_OP <> 'INSERT' THEN
    workspaces := ARRAY(SELECT space_id FROM old_rows);
    addresses := ARRAY(SELECT email FROM old_rows);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    workspaces := workspaces || ARRAY(SELECT space_id FROM new_rows);
    addresses := addresses || ARRAY(SELECT email FROM new_rows);
  END IF;
  -- A cascade fires this once for each deleted row, mostly with nothing in it.
  IF workspaces <> '{}' THEN
    PERFORM raise_related(workspaces, addresses);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER raise_on_insert AFTER INSERT ON invitations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();
CREATE TRIGGER raise_on_update AFTER UPDATE ON invitations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();
CREATE TRIGGER raise_on_delete AFTER DELETE ON invitations REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();

-- Its name is seen by all whom a workspace invites. A trigger of a column: what raises revisions costs nothing more.
CREATE FUNCTION raise_revision_of_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_related(ARRAY[NEW.id], ARRAY(SELECT email FROM invitations WHERE space_id = NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_rename AFTER UPDATE OF name ON spaces
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION raise_revision_of_renamed();

-- A user's row is seen by the members of all their spaces, and by those whom they have invited, with the workspace's
-- members: also when they are no longer one of these. What nobody sees of it, such as another password in place of
-- one, raises nothing. Who joins a space or invites somebody locks their own personal space: none of that happens meanwhile.
CREATE OR REPLACE FUNCTION raise_revision_of_members() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed text[] := ARRAY(
    SELECT n.id FROM new_rows n JOIN old_rows o ON o.id = n.id
    WHERE (n.name, n.email, n.avatar, n.provider, n.password_hash IS NULL)
      IS DISTINCT FROM (o.name, o.email, o.avatar, o.provider, o.password_hash IS NULL)
  );
BEGIN
  IF changed = '{}' THEN
    RETURN NULL;
  END IF;
  PERFORM lock_spaces(changed);
  PERFORM raise_related(
    ARRAY(
      SELECT space_id FROM memberships WHERE user_id = ANY (changed)
      UNION SELECT space_id FROM invitations WHERE invited_by_id = ANY (changed)
    ),
    ARRAY(SELECT email FROM invitations WHERE invited_by_id = ANY (changed))
  );
  RETURN NULL;
END $$;

DROP TRIGGER raise_on_update ON users;
CREATE TRIGGER raise_on_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_members();

-- An account and an invitation of its address are made one after the other: else neither would know of the other.
CREATE FUNCTION lock_address_of_new_user() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_addresses(ARRAY[NEW.email]);
  RETURN NEW;
END $$;
CREATE TRIGGER lock_address BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION lock_address_of_new_user();

-- Deletes the expired invitations of one workspace, under its lock; answers how many.
CREATE FUNCTION prune_invitations() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  workspace text := (SELECT space_id FROM invitations WHERE expires_at <= statement_timestamp() ORDER BY expires_at LIMIT 1);
  pruned integer;
BEGIN
  PERFORM lock_spaces(ARRAY[workspace]);
  DELETE FROM invitations WHERE space_id = workspace AND expires_at <= statement_timestamp();
  GET DIAGNOSTICS pruned = ROW_COUNT;
  RETURN pruned;
END $$;
