-- At commit, a personal space has exactly one inbox, and a workspace none. projects_inbox_key refuses a second one. TG_ARGV:
-- column with the space.
CREATE FUNCTION hold_inbox() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM unnest(ARRAY[to_jsonb(OLD) ->> TG_ARGV[0], to_jsonb(NEW) ->> TG_ARGV[0]]) AS space
    WHERE EXISTS (SELECT FROM spaces WHERE id = space AND kind = 'PERSONAL')
      <> EXISTS (SELECT FROM projects WHERE space_id = space AND is_default)
  ) THEN
    RAISE 'a personal space has one inbox, and a workspace none' USING ERRCODE = 'check_violation', CONSTRAINT = 'projects_inbox_check';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER hold_inbox_of_new AFTER INSERT ON projects DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.is_default) EXECUTE FUNCTION hold_inbox('space_id');
CREATE CONSTRAINT TRIGGER hold_inbox_of_deleted AFTER DELETE ON projects DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.is_default) EXECUTE FUNCTION hold_inbox('space_id');
CREATE CONSTRAINT TRIGGER hold_inbox_of_changed AFTER UPDATE OF is_default, space_id ON projects DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (OLD.is_default OR NEW.is_default) EXECUTE FUNCTION hold_inbox('space_id');
CREATE CONSTRAINT TRIGGER hold_inbox AFTER INSERT OR UPDATE OF kind ON spaces DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION hold_inbox('id');
