-- A space with members has an ADMIN, whoever changes its memberships: rules refuse a request that would remove the last one, but
-- nothing refuses the deletion of an account. Checked at the end of the transaction, which may demote a member before it promotes
-- another. The lock of the space makes concurrent transactions see each other.
CREATE FUNCTION keep_admin() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  space text := coalesce(OLD.space_id, NEW.space_id);
BEGIN
  PERFORM lock_spaces(ARRAY[space]);
  IF NOT EXISTS (SELECT FROM memberships WHERE space_id = space AND role = 'ADMIN') THEN
    UPDATE memberships SET role = 'ADMIN' WHERE space_id = space AND user_id = (
      SELECT user_id FROM memberships WHERE space_id = space ORDER BY role DESC, created_at, user_id LIMIT 1
    );
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER keep_admin_on_insert AFTER INSERT ON memberships DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.role <> 'ADMIN') EXECUTE FUNCTION keep_admin();
CREATE CONSTRAINT TRIGGER keep_admin_on_update AFTER UPDATE ON memberships DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.role = 'ADMIN' AND NEW.role <> 'ADMIN') EXECUTE FUNCTION keep_admin();
CREATE CONSTRAINT TRIGGER keep_admin_on_delete AFTER DELETE ON memberships DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.role = 'ADMIN') EXECUTE FUNCTION keep_admin();
