-- What is not a task raises the revision alone: it names the state of all that a member can read.
CREATE FUNCTION raise_revision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT space_id FROM old_rows);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT space_id FROM new_rows);
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER raise_on_insert AFTER INSERT ON projects REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_update AFTER UPDATE ON projects REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_delete AFTER DELETE ON projects REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();

CREATE TRIGGER raise_on_insert AFTER INSERT ON sections REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_update AFTER UPDATE ON sections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_delete AFTER DELETE ON sections REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();

CREATE TRIGGER raise_on_insert AFTER INSERT ON tags REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_update AFTER UPDATE ON tags REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_delete AFTER DELETE ON tags REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();

CREATE TRIGGER raise_on_insert AFTER INSERT ON memberships REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_update AFTER UPDATE ON memberships REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();
CREATE TRIGGER raise_on_delete AFTER DELETE ON memberships REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision();

-- Preferences are seen by their user alone.
CREATE FUNCTION raise_revision_of_owner() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE spaces SET revision = revision + 1 WHERE id IN (SELECT user_id FROM new_rows);
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_owner();
