-- Without a bound a few tasks would fill an answer, and the memory of whoever makes it. char_length counts code points,
-- as the service does. Writers take spaces before tasks, and so does this; it gives way to whoever holds tasks already.
DO $$
BEGIN
  LOOP
    BEGIN
      LOCK TABLE spaces IN EXCLUSIVE MODE;
      LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE NOWAIT;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
END $$;

UPDATE tasks SET description = left(description, 16384) WHERE char_length(description) > 16384;
ALTER TABLE tasks ADD CONSTRAINT tasks_description_check CHECK (char_length(description) <= 16384);
