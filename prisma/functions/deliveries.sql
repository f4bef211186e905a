-- Mails: see the tables, in the initial migration. They are planned from the change log, by the service; a workspace is deleted with its
-- log, so it is queued here if it has planned reminders.
CREATE FUNCTION plan_deleted_spaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM planning_queue WHERE id IN (
    SELECT queue.id FROM planning_queue AS queue JOIN old_rows ON old_rows.id = queue.space_id FOR UPDATE OF queue SKIP LOCKED
  );
  INSERT INTO planning_queue (space_id)
  SELECT id FROM old_rows
  WHERE EXISTS (SELECT FROM deliveries WHERE space_id = old_rows.id AND status = 'PLANNED' AND task_id IS NOT NULL);
  RETURN NULL;
END $$;
CREATE TRIGGER plan_delete AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_deleted_spaces();

-- A user whose row comes with a digest, as no update of it is logged then: their personal space has their id.
CREATE FUNCTION plan_inserted_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planning_queue (space_id) SELECT user_id FROM new_rows WHERE daily_digest;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_insert AFTER INSERT ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_inserted_digests();
