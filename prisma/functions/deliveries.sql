-- Mails: see the tables, in the initial migration. They are planned from the change log, by the service.

-- A user whose row comes with a digest, as no update of it is logged then: their personal space has their id.
CREATE FUNCTION plan_inserted_digests() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO planning_queue (space_id) SELECT user_id FROM new_rows WHERE daily_digest;
  RETURN NULL;
END $$;
CREATE TRIGGER plan_insert AFTER INSERT ON preferences REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_inserted_digests();
