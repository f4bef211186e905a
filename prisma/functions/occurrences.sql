-- Occurrences of series: see src/tasks/occurrences.ts. Only open tasks repeat.

-- The repeating tasks from a parent to the top of the tree, and below a task. Nulls stand for none.
CREATE FUNCTION repeating_around(task text, parent text) RETURNS text[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN ARRAY(
    WITH RECURSIVE above AS (
      SELECT id, parent_id FROM tasks WHERE id = parent
      UNION ALL SELECT tasks.id, tasks.parent_id FROM tasks JOIN above ON tasks.id = above.parent_id
    ), below AS (
      SELECT id FROM tasks WHERE parent_id = task
      UNION ALL SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id
    )
    SELECT id FROM tasks
    WHERE id IN (SELECT id FROM above UNION ALL SELECT id FROM below) AND recurrence IS NOT NULL AND NOT completed
  );
END $$;

-- What the next occurrences of tasks follow from. For use after lock_for_write.
--   nextKey: sort key of the task behind it in its project
--   below: its subtasks of all levels by sort key, each with its due date and time
CREATE FUNCTION occurrence_states(ids text[]) RETURNS TABLE (id text, state jsonb) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF ids = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH RECURSIVE tree AS (
      SELECT parent_id AS root, id, sort_key, due_date, due_time FROM tasks WHERE parent_id = ANY (ids)
      UNION ALL
      SELECT root, tasks.id, tasks.sort_key, tasks.due_date, tasks.due_time FROM tasks JOIN tree ON tasks.parent_id = tree.id
    ), subtasks AS (
      SELECT root, jsonb_agg(jsonb_build_array(id, due_date, due_time) ORDER BY sort_key, id) AS list FROM tree GROUP BY root
    )
    SELECT task.id, jsonb_build_object(
      'recurrence', recurrence, 'createdAt', created_at, 'projectId', project_id, 'sortKey', sort_key, 'nextKey', (
        SELECT sort_key FROM tasks AS other
        WHERE other.project_id = task.project_id AND (other.sort_key, other.id) > (task.sort_key, task.id)
        ORDER BY other.sort_key, other.id LIMIT 1
      ), 'below', coalesce(list, '[]')
    )
    FROM tasks AS task LEFT JOIN subtasks ON root = task.id
    WHERE task.id = ANY (ids) AND recurrence IS NOT NULL;
END $$;

-- Completes the subtasks of completed occurrences, and creates the next occurrences with their subtasks and every member's tags.
-- The completion covers the tags in the log: nobody locks another user's personal space.
--   plan: for each task and subtask `{task, root, id, sortKey, dueDate, dueTime}`; for the task itself also `recurrence`. Without
--     an `id`, there is no next occurrence.
DO $generate$
BEGIN
  EXECUTE format($sql$
    CREATE FUNCTION make_occurrences(plan jsonb) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      sources text[];
      copies text[];
    BEGIN
      PERFORM set_config('taskgate.consequence', 'on', true), set_config('taskgate.restores_tags', 'on', true);
      UPDATE tasks SET completed = true, completed_at = occurrence.completed_at, updated_at = now()
      FROM jsonb_to_recordset(plan) AS entry (task text, root text) JOIN tasks AS occurrence ON occurrence.id = root
      WHERE tasks.id = task AND task <> root AND NOT tasks.completed;

      -- An id in the trash is free if the completion was taken back, which deleted the next occurrence.
      WITH entry AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(plan) AS entry (task text, root text, id text) WHERE id IS NOT NULL
      ), deleted AS MATERIALIZED (
        SELECT id, root, operation_id FROM entry JOIN trash ON entity_id = id
      ), opened AS (
        SELECT operation_id, unnest(entity_ids) AS root FROM history
        WHERE operation_id IN (SELECT operation_id FROM deleted) AND history.kind = 'UPDATED'
      ), taken AS (
        SELECT id FROM tasks WHERE id IN (SELECT id FROM entry)
        UNION SELECT id FROM deleted WHERE (operation_id, root) NOT IN (SELECT operation_id, root FROM opened)
      )
      SELECT array_agg(task), array_agg(CASE WHEN id IN (SELECT id FROM taken) THEN new_id('task') ELSE id END)
      INTO sources, copies FROM entry;
      UPDATE trash SET within_id = NULL WHERE within_id = ANY (copies) AND entity_id <> ALL (copies);
      DELETE FROM trash WHERE entity_id = ANY (copies);

      WITH copy AS (SELECT * FROM unnest(sources, copies) AS copy (source, id))
      INSERT INTO tasks (
        id, parent_id, sort_key, recurrence, due_date, due_time, is_all_day, created_at, updated_at, %1$s
      )
      SELECT copy.id, coalesce(above.id, source.parent_id), "sortKey", entry.recurrence,
        "dueDate", "dueTime",
        CASE WHEN task = root THEN "dueTime" IS NULL ELSE source.is_all_day END,
        occurrence.completed_at, occurrence.completed_at, %2$s
      FROM jsonb_to_recordset(plan) AS entry (
        task text, root text, "sortKey" text, recurrence jsonb, "dueDate" date, "dueTime" timestamptz
      )
      JOIN copy ON copy.source = task JOIN tasks AS source ON source.id = task JOIN tasks AS occurrence ON occurrence.id = root
      LEFT JOIN copy AS above ON above.source = source.parent_id;

      INSERT INTO task_tags (task_id, tag_id, space_id)
      SELECT copy.id, tag_id, space_id
      FROM unnest(sources, copies) AS copy (source, id) JOIN task_tags ON task_id = source;
      PERFORM set_config('taskgate.consequence', '', true), set_config('taskgate.restores_tags', '', true);
    EXCEPTION WHEN unique_violation OR foreign_key_violation THEN
      -- Another transaction has just taken the id of a copy, or deleted the tag of another member.
      RAISE '%%', SQLERRM USING ERRCODE = 'serialization_failure';
    END $$$sql$,
    string_agg(quote_ident(attname), ', '), string_agg('source.' || quote_ident(attname), ', '))
  FROM pg_attribute
  WHERE attrelid = 'tasks'::regclass AND attnum > 0 AND NOT attisdropped AND attname NOT IN (
    'id', 'parent_id', 'sort_key', 'recurrence', 'due_date', 'due_time', 'is_all_day', 'completed', 'completed_at', 'created_at',
    'updated_at', 'search'
  );
END $generate$;

-- Moves the due dates and times of an occurrence's subtasks. The plan is as in make_occurrences.
CREATE FUNCTION move_subtasks(plan jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('taskgate.consequence', 'on', true);
  UPDATE tasks SET due_date = "dueDate", due_time = "dueTime", updated_at = now()
  FROM jsonb_to_recordset(plan) AS entry (task text, "dueDate" date, "dueTime" timestamptz)
  WHERE id = task AND (due_date, due_time) IS DISTINCT FROM ("dueDate", "dueTime");
  PERFORM set_config('taskgate.consequence', '', true);
END $$;

-- Prepares completed occurrences for their opening, the latest first. If the next occurrence was not changed, deletes it. If the
-- task is then the open occurrence, opens the subtasks that were completed with it. Returns the tasks that open without their
-- recurrence. If the tasks also move, they get the new parent.
CREATE FUNCTION reopen_occurrences(ids text[], moves boolean, new_parent text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  occurrence record;
  next tasks;
  tree text[];
  next_tree text[];
  opened_series boolean[] := array_fill(false, ARRAY[cardinality(ids)]);
  opened_subtasks text[] := '{}';
  opened_trees text[] := '{}';
  taken_back text[] := '{}';
  subtasks text[] := '{}';
  ended text[] := '{}';
BEGIN
  FOR occurrence IN
    SELECT *, dense_rank() OVER (ORDER BY recurrence ->> 'seriesId') AS series
    FROM tasks WHERE id = ANY (ids) AND completed AND recurrence IS NOT NULL
    ORDER BY recurrence ->> 'date' DESC, completed_at DESC, id
  LOOP
    SELECT * INTO next FROM tasks WHERE recurrence ->> 'seriesId' = occurrence.recurrence ->> 'seriesId' AND NOT completed;
    tree := ARRAY(SELECT with_subtasks(ARRAY[occurrence.id]));
    next_tree := ARRAY(SELECT with_subtasks(ARRAY[next.id]) WHERE next.id IS NOT NULL);
    IF opened_series[occurrence.series] OR occurrence.id = ANY (opened_trees) OR opened_subtasks && tree
      OR repeating_around(occurrence.id, CASE WHEN moves THEN new_parent ELSE occurrence.parent_id END) <> '{}'
      -- The caller may not have access to another space.
      OR next.id IS NOT NULL AND (
        next.space_id <> occurrence.space_id
        OR next.created_at <> occurrence.completed_at OR cardinality(tree) <> cardinality(next_tree)
        OR EXISTS (SELECT FROM tasks WHERE id = ANY (next_tree) AND (updated_at <> created_at OR created_at <> next.created_at))
        OR ARRAY(SELECT tag_id FROM task_tags WHERE task_id = ANY (tree) ORDER BY tag_id)
          <> ARRAY(SELECT tag_id FROM task_tags WHERE task_id = ANY (next_tree) ORDER BY tag_id)
      )
    THEN
      ended := array_append(ended, occurrence.id);
      CONTINUE;
    END IF;
    opened_series[occurrence.series] := true;
    IF occurrence.parent_id IS NOT NULL THEN
      opened_subtasks := array_append(opened_subtasks, occurrence.id);
    END IF;
    IF next.id IS NOT NULL THEN
      taken_back := array_append(taken_back, next.id);
    END IF;
    IF cardinality(tree) > 1 THEN
      opened_trees := opened_trees || tree;
      subtasks := subtasks
        || ARRAY(SELECT id FROM tasks WHERE id = ANY (tree) AND id <> occurrence.id AND completed_at = occurrence.completed_at);
    END IF;
  END LOOP;
  PERFORM set_config('taskgate.consequence', 'on', true);
  DELETE FROM tasks WHERE id = ANY (ARRAY(SELECT with_subtasks(taken_back)));
  UPDATE tasks SET completed = false, completed_at = NULL, updated_at = now() WHERE id = ANY (subtasks);
  PERFORM set_config('taskgate.consequence', '', true);
  RETURN ended;
END $$;
