-- The service plans mails from the change log.

-- The log has no update of preferences that are inserted with a digest.
CREATE FUNCTION plan_inserted_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planning_queue (space_id) SELECT user_id FROM new_rows WHERE daily_digest;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_insert AFTER INSERT ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_inserted_digests();

-- The next scan of a deleted space removes its scheduled ones. Deleting them here would wait for a planner.
CREATE FUNCTION plan_deleted_spaces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planning_queue (space_id) SELECT id FROM old_rows;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_delete AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_deleted_spaces();
