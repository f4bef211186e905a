-- Related revisions: see the table, in the initial migration.

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
  -- By the clock, as none comes twice: not in a database either that was restored from a backup.
  UPDATE related_revisions
  SET revision = greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  WHERE space_id = ANY (raised);
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

-- A workspace's name is seen by its members and by all whom it invites. On the column alone: the UPDATE of `revision` that
-- every change makes does not fire it.
CREATE FUNCTION raise_revision_of_renamed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_whole_spaces('WORKSPACE', ARRAY[NEW.id], 'name');
  INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images)
  SELECT current_operation(), NEW.id, 'WORKSPACE', 'UPDATED', ARRAY[NEW.id],
    ARRAY[json_build_object('name', json_build_array(OLD.name, NEW.name))::text]
  WHERE keeps_history();
  PERFORM raise_related('{}', ARRAY(SELECT email FROM invitations WHERE space_id = NEW.id));
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_rename AFTER UPDATE OF name ON spaces
  FOR EACH ROW WHEN (OLD.name IS DISTINCT FROM NEW.name) EXECUTE FUNCTION raise_revision_of_renamed();

-- A user's row is seen by the members of all their spaces, and by those whom they have invited, with the workspace's
-- members: also when they are no longer one of these. What nobody sees of it, such as another password in place of
-- one, raises nothing. Who joins a space or invites somebody locks their own personal space: none of that happens meanwhile.
CREATE FUNCTION raise_revision_of_members() RETURNS trigger LANGUAGE plpgsql AS $$
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
  PERFORM log_whole_spaces('USER', changed, 'profile');
  PERFORM raise_related(
    ARRAY(
      SELECT space_id FROM memberships WHERE user_id = ANY (changed)
      UNION SELECT space_id FROM invitations WHERE invited_by_id = ANY (changed)
    ),
    ARRAY(SELECT email FROM invitations WHERE invited_by_id = ANY (changed))
  );
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_members();
