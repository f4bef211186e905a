-- Writers of another process begin by locking or raising a space: those under way end first, and none begins
-- meanwhile. Else one that holds tasks and waits for a space could bring this to a deadlock.
LOCK TABLE spaces IN EXCLUSIVE MODE;

-- A foreign key is looked up once a row, which took most of the time of logging many changes. Rows of the
-- log are made by triggers alone, for spaces whose rows they have just raised and so hold until they commit: nothing
-- is left for the key to refuse, and a space takes its log along by a trigger of its own.
ALTER TABLE task_changes DROP CONSTRAINT task_changes_space_id_fkey;

CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM task_changes WHERE space_id IN (SELECT id FROM old_rows);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_changes AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION forget_changes();

-- As before, but each space is locked once, however many of the tasks are in it; where the tasks can be in one space
-- alone, nothing has to be read to know it, and where all spaces that they can be in are locked, none has moved to
-- another one meanwhile; and only what callers read is answered, not whole rows.
DROP FUNCTION lock_tasks(text[], text[], text[]);
CREATE FUNCTION lock_tasks(ids text[], within text[], others text[])
RETURNS TABLE (id text, space_id text, project_id text, section_id text, parent_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  locked text[] := others || CASE WHEN cardinality(within) = 1 THEN within ELSE
    ARRAY(SELECT DISTINCT space_id FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within)) END;
BEGIN
  PERFORM lock_spaces(locked);
  IF NOT within <@ locked AND EXISTS (
    SELECT FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within) AND space_id <> ALL (locked)
  ) THEN
    RAISE 'a task moved to another space' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN QUERY SELECT id, space_id, project_id, section_id, parent_id
    FROM tasks WHERE id = ANY (ids) AND space_id = ANY (within);
END $$;

-- As before, but with a full join, although each row has its pair: a function's plan is made for the first
-- change that a connection logs, mostly of one task, and for one task the planner loops over both tables; many tasks
-- then took time by the square of their number. A full join is never such a loop.
CREATE OR REPLACE FUNCTION log_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows) THEN
    RETURN NULL;
  END IF;
  WITH difference AS MATERIALIZED (
    SELECT n.id, o.space_id AS old_space_id, n.space_id, o.project_id AS old_project_id, n.project_id,
      array_remove(ARRAY[
        CASE WHEN n.title IS DISTINCT FROM o.title THEN 'title' END,
        CASE WHEN n.description IS DISTINCT FROM o.description THEN 'description' END,
        CASE WHEN n.priority IS DISTINCT FROM o.priority THEN 'priority' END,
        CASE WHEN n.due_date IS DISTINCT FROM o.due_date THEN 'dueDate' END,
        CASE WHEN n.due_time IS DISTINCT FROM o.due_time THEN 'dueTime' END,
        CASE WHEN n.is_all_day IS DISTINCT FROM o.is_all_day THEN 'isAllDay' END,
        CASE WHEN n.completed IS DISTINCT FROM o.completed THEN 'completed' END,
        CASE WHEN n.completed_at IS DISTINCT FROM o.completed_at THEN 'completedAt' END,
        CASE WHEN n.color IS DISTINCT FROM o.color THEN 'color' END,
        CASE WHEN n.sort_key IS DISTINCT FROM o.sort_key THEN 'sortKey' END,
        CASE WHEN n.reminder IS DISTINCT FROM o.reminder THEN 'reminder' END,
        CASE WHEN n.parent_id IS DISTINCT FROM o.parent_id THEN 'parent' END,
        CASE WHEN n.project_id IS DISTINCT FROM o.project_id THEN 'project' END,
        CASE WHEN n.section_id IS DISTINCT FROM o.section_id THEN 'section' END
      ], NULL) AS fields
    FROM old_rows o FULL JOIN new_rows n ON n.id = o.id
  ), entry AS (
    SELECT space_id, id, 'UPDATED'::"ChangeKind" AS kind, fields, project_id,
      CASE WHEN project_id <> old_project_id THEN old_project_id END AS previous_project_id
    FROM difference WHERE space_id = old_space_id AND fields <> '{}'
    UNION ALL
    SELECT old_space_id, id, 'DELETED', fields, old_project_id, NULL FROM difference WHERE space_id <> old_space_id
    UNION ALL
    SELECT space_id, id, 'CREATED', fields, project_id, NULL FROM difference WHERE space_id <> old_space_id
  ), change AS (
    SELECT *, row_number() OVER (PARTITION BY space_id) AS n FROM entry
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, count(*) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_id, kind, fields, project_id, previous_project_id)
  SELECT change.space_id, raised.base + change.n, change.id, change.kind, change.fields, change.project_id,
    change.previous_project_id
  FROM change JOIN raised ON raised.id = change.space_id;
  RETURN NULL;
END $$;
