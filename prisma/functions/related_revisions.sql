CREATE FUNCTION begin_related_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO related_revisions (space_id) VALUES (NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER begin_related_revision AFTER INSERT ON spaces FOR EACH ROW EXECUTE FUNCTION begin_related_revision();

-- Also of the personal spaces of accounts with the addresses.
--   next: rows that the transaction raises later, so that it locks all in one order
CREATE FUNCTION raise_related(spaces text[], addresses text[], next text[] DEFAULT '{}') RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  raised text[];
BEGIN
  -- Cascades fire the triggers for each row, mostly without rows to raise.
  IF spaces || addresses || next = '{}' THEN
    RETURN;
  END IF;
  PERFORM lock_addresses(addresses);
  raised := spaces || ARRAY(SELECT id FROM users WHERE email = ANY (addresses));
  PERFORM FROM related_revisions WHERE space_id = ANY (raised || next) ORDER BY space_id FOR NO KEY UPDATE;
  -- The clock repeats no revision, even in a restored database. A transaction raises a row once: for each task of a bulk, the
  -- row would get another version, and each look-up would pass all of them.
  UPDATE related_revisions
  SET revision = greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  WHERE space_id = ANY (raised) AND xmin <> pg_current_xact_id()::xid;
END $$;

-- The workspace's members and the account with the address see an invitation, which is written under the workspace's lock.
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
  PERFORM raise_related(workspaces, addresses);
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_insert AFTER INSERT ON invitations REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();
CREATE TRIGGER raise_on_update AFTER UPDATE ON invitations REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();
CREATE TRIGGER raise_on_delete AFTER DELETE ON invitations REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_invited();

-- Members and invited accounts see the name. Changes of `revision` do not fire a trigger on this column.
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

-- Members of the user's spaces see the row. So do invited accounts and the members of those workspaces, and readers of the
-- user's comments, even after the user has left. Invisible changes, such as another password, raise nothing. Joining and
-- inviting lock the personal space, so neither happens during this.
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
      UNION SELECT space_id FROM comments WHERE author_id = ANY (changed)
    ),
    ARRAY(SELECT email FROM invitations WHERE invited_by_id = ANY (changed))
  );
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON users REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_members();
