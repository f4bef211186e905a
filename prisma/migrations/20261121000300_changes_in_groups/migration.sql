-- Writers of another process begin by locking or raising a space: those under way end first, and none begins
-- meanwhile. Else one that holds tasks and waits for a space could bring this to a deadlock. Readers and pruning of the
-- log may hold it already while they wait for spaces: then this gives way, and tries again.
DO $$
BEGIN
  LOOP
    BEGIN
      LOCK TABLE spaces IN EXCLUSIVE MODE;
      LOCK TABLE task_changes IN ACCESS EXCLUSIVE MODE NOWAIT;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      PERFORM pg_sleep(0.05);
    END;
  END LOOP;
END $$;

-- A row of the log names all tasks that a statement changed in the same way in a space: same kind, same fields, same
-- project before and after. Each still has a revision of its own: the row's revision is that of its last task, and the
-- others come right before it. So a change of many tasks writes one row and its index entries, not one of each a task.
-- What was logged before becomes rows of one task each.
ALTER TABLE task_changes
  ALTER COLUMN task_id TYPE text[] USING ARRAY[task_id],
  ADD COLUMN task_count integer NOT NULL GENERATED ALWAYS AS (cardinality(task_id)) STORED;
ALTER TABLE task_changes RENAME COLUMN task_id TO task_ids;
-- Ids hardly compress: trying costs more time than it saves space.
ALTER TABLE task_changes ALTER COLUMN task_ids SET STORAGE EXTERNAL;

CREATE TYPE task_change AS (
  space_id text, kind "ChangeKind", task_ids text[], fields text[], project_id text, previous_project_id text
);

-- What every writer of the log calls, once a statement: raises each space by the number of its changed tasks, and gives
-- them the revisions in between.
CREATE FUNCTION log_changes(changes task_change[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH change AS (
    SELECT *, sum(cardinality(task_ids)) OVER (PARTITION BY space_id ROWS UNBOUNDED PRECEDING) AS n
    FROM unnest(changes)
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n
    FROM (SELECT space_id, max(n) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base
  )
  INSERT INTO task_changes (space_id, revision, task_ids, kind, fields, project_id, previous_project_id)
  SELECT space_id, base + n, task_ids, kind, fields, project_id, previous_project_id
  FROM change JOIN raised ON raised.id = space_id;
END $$;

CREATE OR REPLACE FUNCTION log_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (space_id, 'CREATED', array_agg(id), '{}', project_id, NULL)::task_change
    FROM new_rows GROUP BY space_id, project_id
  ));
  RETURN NULL;
END $$;

-- The full join, although each row has its pair: the planner never makes a loop of it, whatever number of tasks the
-- first change of a connection had. The names of the fields are grouped as one text, which costs less than an array.
CREATE OR REPLACE FUNCTION log_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows) THEN
    RETURN NULL;
  END IF;
  PERFORM log_changes(ARRAY(
    WITH difference AS MATERIALIZED (
      SELECT o.space_id AS old_space_id, n.space_id, o.project_id AS old_project_id, n.project_id,
        concat_ws(' ',
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
        ) AS fields, array_agg(n.id) AS task_ids
      FROM old_rows o FULL JOIN new_rows n ON n.id = o.id
      GROUP BY o.space_id, n.space_id, o.project_id, n.project_id, fields
    )
    SELECT (space_id, 'UPDATED', task_ids, string_to_array(fields, ' '), project_id,
      CASE WHEN project_id <> old_project_id THEN old_project_id END)::task_change
    FROM difference WHERE space_id = old_space_id AND fields <> ''
    UNION ALL
    SELECT (old_space_id, 'DELETED', task_ids, string_to_array(fields, ' '), old_project_id, NULL)::task_change
    FROM difference WHERE space_id <> old_space_id
    UNION ALL
    SELECT (space_id, 'CREATED', task_ids, string_to_array(fields, ' '), project_id, NULL)::task_change
    FROM difference WHERE space_id <> old_space_id
  ));
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION log_deleted_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM old_rows) THEN
    RETURN NULL;
  END IF;
  PERFORM log_changes(ARRAY(
    SELECT (space_id, 'DELETED', array_agg(id), '{}', project_id, NULL)::task_change
    FROM old_rows GROUP BY space_id, project_id
  ));
  RETURN NULL;
END $$;

-- For owners who see the task: where it has gone from their spaces, or they from its space, that is what they are told.
-- So what takes tags of others off tasks neither raises nor locks their personal spaces.
CREATE OR REPLACE FUNCTION log_tagged_tasks(changed text[], spaces_of text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (entry.space_id, 'UPDATED', array_agg(tasks.id), '{tags}', tasks.project_id, NULL)::task_change
    FROM (SELECT DISTINCT * FROM unnest(changed, spaces_of)) AS entry (task_id, space_id)
    JOIN tasks ON tasks.id = entry.task_id
    JOIN memberships ON memberships.space_id = tasks.space_id AND memberships.user_id = entry.space_id
    GROUP BY entry.space_id, tasks.project_id
  ));
END $$;
