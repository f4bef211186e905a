-- Mails: see the table, in the initial migration. They are planned from the change log, by the service; a workspace takes its log
-- along, so that what was planned for its tasks ends here.
CREATE FUNCTION skip_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE deliveries SET status = 'SKIPPED', reason = 'The task was deleted.', leased_until = NULL
  WHERE space_id IN (SELECT id FROM old_rows) AND status = 'PLANNED' AND task_id IS NOT NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER skip_reminders AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION skip_reminders();
