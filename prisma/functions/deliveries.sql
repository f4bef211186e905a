-- Mails: see the tables, in the initial migration. They are planned from the change log, by the service; a workspace takes its log
-- along, so that what was planned for its tasks is noted here.
CREATE FUNCTION note_deleted_reminders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unplanned (task_id, user_id, at, turn)
  SELECT task_id, user_id, statement_timestamp(), statement_timestamp() + row_number() OVER () * interval '1 ms'
  FROM deliveries
  WHERE space_id IN (SELECT id FROM old_rows) AND status = 'PLANNED' AND task_id IS NOT NULL
  ON CONFLICT (task_id, user_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_deleted_reminders AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_deleted_reminders();

-- A user whose row comes with a digest, as no update of it is logged then.
CREATE FUNCTION note_inserted_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO unplanned (task_id, user_id, at, turn)
  SELECT '', user_id, statement_timestamp(), statement_timestamp() FROM new_rows WHERE daily_digest
  ON CONFLICT (task_id, user_id) DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER note_inserted_digests AFTER INSERT ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION note_inserted_digests();
