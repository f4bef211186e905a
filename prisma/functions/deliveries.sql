-- The service plans mails from the change log.

-- The log has no update of preferences that are inserted with a digest.
CREATE FUNCTION plan_inserted_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planning_queue (space_id) SELECT user_id FROM new_rows WHERE daily_digest;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_insert AFTER INSERT ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_inserted_digests();
