-- Mails: see the tables, in the initial migration. They are planned from the change log, by the service; a workspace takes its log
-- along, so that what was planned for its tasks is noted here.
CREATE FUNCTION note_deleted_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unplanned (task_id, user_id, at, turn)
  SELECT task_id, user_id, statement_timestamp(), row_number() OVER () FROM deliveries
  WHERE space_id IN (SELECT id FROM old_rows) AND status = 'PLANNED' AND task_id IS NOT NULL
  ON CONFLICT (task_id, user_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_deleted_reminders AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_reminders();
