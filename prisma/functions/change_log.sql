-- The change log of tasks. Statement-level triggers raise the revision of each space by the number of its changed tasks and
-- log them, inside the writer's transaction: no code path can forget it. Raising a revision locks the space's row until
-- commit, so that within a space the order of revisions is the order of commits, and no cursor can pass over a late commit.

-- What a statement changed in the same way in a space.
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

CREATE FUNCTION log_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (space_id, 'CREATED', array_agg(id), '{}', project_id, NULL)::task_change
    FROM new_rows GROUP BY space_id, project_id
  ));
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON tasks REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_created_tasks();

-- A task that moves to another space is DELETED in the one and CREATED in the other. The full join, although each row has
-- its pair: the planner never makes a loop of it, whatever number of tasks the first change of a connection had. The names
-- of the fields are grouped as one text, which costs less than an array.
CREATE FUNCTION log_updated_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER log_update AFTER UPDATE ON tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_updated_tasks();

-- A cascade fires this once for each deleted parent, mostly with nothing in it.
CREATE FUNCTION log_deleted_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE TRIGGER log_delete AFTER DELETE ON tasks REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_deleted_tasks();

-- Tags are private to their owner, so a change of a task's tags is logged in the tags' space: only the owner's streams hear
-- of it. It is for owners who see the task: where it has gone from their spaces, or they from its space, that is what they
-- are told. So what takes tags of others off tasks neither raises nor locks their personal spaces. A task that is itself
-- deleted has no such entry.
CREATE FUNCTION log_tagged_tasks(changed text[], spaces_of text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (entry.space_id, 'UPDATED', array_agg(tasks.id), '{tags}', tasks.project_id, NULL)::task_change
    FROM (SELECT DISTINCT * FROM unnest(changed, spaces_of)) AS entry (task_id, space_id)
    JOIN tasks ON tasks.id = entry.task_id
    JOIN memberships ON memberships.space_id = tasks.space_id AND memberships.user_id = entry.space_id
    GROUP BY entry.space_id, tasks.project_id
  ));
END $$;

CREATE FUNCTION log_task_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM new_rows HAVING count(*) > 0;
  ELSE
    PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM old_rows HAVING count(*) > 0;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON task_tags REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();
CREATE TRIGGER log_delete AFTER DELETE ON task_tags REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();

-- The log of a space goes with it.
CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM task_changes WHERE space_id IN (SELECT id FROM old_rows);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_changes AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION forget_changes();
