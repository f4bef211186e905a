-- For use after lock_for_write, from the top of the tree.
CREATE FUNCTION level_of_task(task text) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    WITH RECURSIVE above AS (
      SELECT parent_id FROM tasks WHERE id = task
      UNION ALL SELECT tasks.parent_id FROM tasks JOIN above ON tasks.id = above.parent_id
    )
    SELECT count(*) FROM above
  );
END $$;

-- For use after lock_for_write.
CREATE FUNCTION with_subtasks(tasks_above text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
    WITH RECURSIVE reached AS (
      SELECT unnest(tasks_above) AS id
      UNION SELECT tasks.id FROM tasks JOIN reached ON tasks.parent_id = reached.id
    )
    SELECT id FROM reached;
END $$;

-- At most ten levels, and no task below itself, after any change of a subtree. Counts only as far as needed. The level of a new
-- task is checked at creation.
CREATE FUNCTION hold_levels() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  levels integer;
BEGIN
  WITH RECURSIVE above AS (
    SELECT parent_id AS id, 1 AS level FROM tasks WHERE id = NEW.id AND parent_id IS NOT NULL
    UNION ALL SELECT tasks.parent_id, level + 1 FROM tasks JOIN above ON tasks.id = above.id
      WHERE tasks.parent_id IS NOT NULL AND level <= 10
  ), below AS (
    SELECT NEW.id AS id, 1 AS level
    UNION ALL SELECT tasks.id, level + 1 FROM tasks JOIN below ON tasks.parent_id = below.id WHERE level <= 10
  )
  SELECT (SELECT max(level) FROM above) + (SELECT max(level) FROM below) INTO levels;
  IF levels > 10 THEN
    RAISE 'a tree of tasks has at most ten levels' USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_levels_check';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER hold_levels AFTER UPDATE OF parent_id ON tasks DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.parent_id IS NOT NULL AND NEW.parent_id IS DISTINCT FROM OLD.parent_id)
  EXECUTE FUNCTION hold_levels();
