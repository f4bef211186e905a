-- Occurrences of series: see src/tasks/occurrences.ts. Only open tasks repeat.
-- A connection keeps the plans of functions. A plan for a small table must suit a large one, so each row is looked up by its key.

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

-- The basis of the next occurrences. For use after lock_for_write.
--   nextKey: sort key of the task behind it in its project
--   below: its subtasks of all levels by sort key, each with its parent, due date and time
CREATE FUNCTION occurrence_states(ids text[]) RETURNS TABLE (id text, state jsonb) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF ids = '{}' THEN
    RETURN;
  END IF;
  RETURN QUERY
    WITH RECURSIVE tree AS (
      SELECT parent_id AS root, id, parent_id, sort_key, due_date, due_time FROM tasks WHERE parent_id = ANY (ids)
      UNION ALL
      SELECT root, subtask.* FROM tree CROSS JOIN LATERAL (
        SELECT id, parent_id, sort_key, due_date, due_time FROM tasks WHERE parent_id = tree.id OFFSET 0
      ) AS subtask
    ), subtasks AS (
      SELECT root, jsonb_agg(jsonb_build_array(id, parent_id, due_date, due_time) ORDER BY sort_key, id) AS list FROM tree GROUP BY root
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

-- Completes tasks, and with the occurrences among them their open subtasks. Makes the next occurrences with their subtasks,
-- every member's tags and mutes. The completion covers the tags in the log: nobody locks another user's personal space.
--   ids: the tasks
--   occurrences: the open ones that repeat, as keys, because a look-up in an array of 1,000 takes 13 us
--   plan: for each occurrence and subtask `{task, root, copy}`, with the columns of the copy that differ. Without an `id` in them,
--     there is no next occurrence.
-- Returns one of the completed tasks.
CREATE FUNCTION complete_tasks(ids text[], occurrences jsonb, plan jsonb) RETURNS tasks LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  moment CONSTANT timestamptz(3) := clock_timestamp();
  one_of_them tasks;
  new_ids jsonb;
  free_ids text[];
BEGIN
  WITH done AS (
    UPDATE tasks SET completed = true, completed_at = moment, updated_at = now() WHERE id = ANY (ids) AND NOT completed RETURNING *
  )
  SELECT * INTO one_of_them FROM done LIMIT 1;
  PERFORM set_config('taskgate.consequence', 'on', true), set_config('taskgate.restores_tags', 'on', true);
  UPDATE tasks SET completed = true, completed_at = moment, updated_at = now() WHERE NOT completed AND id = ANY (ARRAY(
    SELECT task FROM jsonb_to_recordset(plan) AS entry (task text, root text) WHERE occurrences ? root
  ));

  -- An id in the trash is free if the completion was taken back, which deleted the next occurrence. The row of an emptied one stays
  -- until its images are erased.
  WITH entry AS MATERIALIZED (
    SELECT copy ->> 'id' AS id, root FROM jsonb_to_recordset(plan) AS entry (root text, copy jsonb) WHERE occurrences ? root
  ), deleted AS MATERIALIZED (
    SELECT id, root, operation_id, erased_from FROM entry
    CROSS JOIN LATERAL (SELECT operation_id, erased_from FROM trash WHERE entity_id = id OFFSET 0) AS entity
  ), opened AS (
    SELECT operation_id, unnest(entity_ids) AS root FROM history
    WHERE operation_id IN (SELECT operation_id FROM deleted) AND kind = 'UPDATED'
  ), taken AS (
    SELECT tasks.id FROM tasks JOIN entry ON entry.id = tasks.id
    UNION SELECT id FROM deleted WHERE (operation_id, root) NOT IN (SELECT operation_id, root FROM opened)
      OR root IN (SELECT root FROM deleted WHERE erased_from <> '{}')
  )
  SELECT (SELECT jsonb_object_agg(id, new_id('task')) FROM taken),
    ARRAY(SELECT id FROM deleted WHERE id NOT IN (SELECT id FROM taken))
  INTO new_ids, free_ids;
  UPDATE trash SET within_id = NULL WHERE within_id = ANY (free_ids) AND entity_id <> ALL (free_ids);
  DELETE FROM trash WHERE entity_id = ANY (free_ids);

  WITH entry AS MATERIALIZED (
    SELECT task, copy || jsonb_strip_nulls(jsonb_build_object(
      'id', new_ids -> (copy ->> 'id'), 'parent_id', new_ids -> (copy ->> 'parent_id')
    )) || jsonb_build_object('completed', false, 'completed_at', NULL, 'created_at', moment, 'updated_at', moment) AS copy
    FROM jsonb_to_recordset(plan) AS entry (task text, root text, copy jsonb) WHERE copy ? 'id' AND occurrences ? root
  ), tagged AS (
    INSERT INTO task_tags (task_id, tag_id, space_id) SELECT copy ->> 'id', tag_id, space_id FROM entry JOIN task_tags ON task_id = task
  ), muted AS (
    -- An earlier occurrence with the id may have been muted.
    INSERT INTO task_mutes (task_id, user_id)
    SELECT copy ->> 'id', user_id FROM entry CROSS JOIN LATERAL (SELECT user_id FROM task_mutes WHERE task_id = task OFFSET 0) AS mute
    ON CONFLICT DO NOTHING
  )
  INSERT INTO tasks SELECT made.* FROM entry JOIN tasks ON id = task CROSS JOIN LATERAL jsonb_populate_record(tasks, copy) AS made;
  PERFORM set_config('taskgate.consequence', '', true), set_config('taskgate.restores_tags', '', true);
  RETURN one_of_them;
EXCEPTION WHEN unique_violation OR foreign_key_violation THEN
  -- Another transaction has just taken the id of a copy, or deleted the tag of another member.
  RAISE '%', SQLERRM USING ERRCODE = 'serialization_failure';
END $$;

-- Moves the due dates and times of an occurrence's subtasks. The plan is as in complete_tasks.
CREATE FUNCTION move_subtasks(plan jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('taskgate.consequence', 'on', true);
  UPDATE tasks SET due_date = moved.due_date, due_time = moved.due_time, updated_at = now()
  FROM jsonb_to_recordset(plan) AS entry (task text, copy jsonb) CROSS JOIN LATERAL jsonb_populate_record(NULL::tasks, copy) AS moved
  WHERE tasks.id = task AND (tasks.due_date, tasks.due_time) IS DISTINCT FROM (moved.due_date, moved.due_time);
  PERFORM set_config('taskgate.consequence', '', true);
END $$;

-- Prepares completed occurrences for their opening, the latest first. If the next occurrence was not changed, deletes it. If the
-- task is then the open occurrence, opens the subtasks that were completed with it. Returns the tasks that open without their
-- recurrence. If the tasks also move, they get the new parent.
CREATE FUNCTION reopen_occurrences(ids text[], moves boolean, new_parent text) RETURNS text[] LANGUAGE plpgsql
  SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  occurrence record;
  parent text;
  opened_series boolean[] := array_fill(false, ARRAY[cardinality(ids)]);
  opened_subtasks text[] := '{}';
  opened_trees text[] := '{}';
  taken_back text[] := '{}';
  subtasks text[] := '{}';
  ended text[] := '{}';
BEGIN
  FOR occurrence IN
    -- Joins by indexes and windows alone, because the planner knows neither the number of tasks nor of their subtasks.
    WITH RECURSIVE tree AS (
      SELECT tasks AS top, tasks.* FROM tasks WHERE id = ANY (ids) AND completed AND recurrence IS NOT NULL
      UNION ALL SELECT tasks, tasks.* FROM tasks
      WHERE recurrence ->> 'seriesId' = ANY (ARRAY(SELECT recurrence ->> 'seriesId' FROM tasks WHERE id = ANY (ids))) AND NOT completed
      UNION ALL
      SELECT top, subtask.* FROM tree CROSS JOIN LATERAL (SELECT * FROM tasks WHERE parent_id = tree.id OFFSET 0) AS subtask
    ), whole AS (
      -- Later subtasks of a completed task do not count.
      SELECT top, array_agg(DISTINCT id) AS tree, array_agg(tag_id ORDER BY tag_id) FILTER (WHERE tag_id IS NOT NULL) AS tags,
        count(DISTINCT id) FILTER (WHERE (created_at <= (top).completed_at) IS NOT FALSE) AS size,
        bool_and(created_at = (top).created_at AND updated_at = created_at) AS is_unchanged,
        array_agg(DISTINCT id) FILTER (WHERE id <> (top).id AND completed_at = (top).completed_at) AS completed_with
      FROM tree LEFT JOIN LATERAL (SELECT tag_id FROM task_tags WHERE task_id = tree.id OFFSET 0) AS tagged
        ON (created_at <= (top).completed_at) IS NOT FALSE
      GROUP BY top
    )
    SELECT (top).id, (top).parent_id, (top).completed, tree, completed_with,
      dense_rank() OVER (ORDER BY (top).recurrence ->> 'seriesId') AS series,
      first_value(CASE WHEN NOT (top).completed THEN tree END) OVER pair AS next_tree,
      -- The caller may not have access to another space.
      first_value(is_unchanged AND NOT EXISTS (SELECT FROM comments WHERE task_id = ANY (tree))) OVER pair AND first_value(size) OVER pair >= size
        AND first_value(((top).space_id, (top).created_at, tags)) OVER pair = ((top).space_id, (top).completed_at, tags)
        AS is_next_unchanged
    FROM whole WINDOW pair AS (PARTITION BY (top).recurrence ->> 'seriesId' ORDER BY (top).completed)
    ORDER BY (top).recurrence ->> 'date' DESC, (top).completed_at DESC, (top).id
  LOOP
    CONTINUE WHEN NOT occurrence.completed;
    parent := CASE WHEN moves THEN new_parent ELSE occurrence.parent_id END;
    IF opened_series[occurrence.series] OR occurrence.id = ANY (opened_trees) OR opened_subtasks && occurrence.tree
      OR (parent IS NOT NULL OR cardinality(occurrence.tree) > 1) AND repeating_around(occurrence.id, parent) <> '{}'
      OR occurrence.next_tree IS NOT NULL AND NOT occurrence.is_next_unchanged
    THEN
      ended := array_append(ended, occurrence.id);
      CONTINUE;
    END IF;
    opened_series[occurrence.series] := true;
    IF occurrence.parent_id IS NOT NULL THEN
      opened_subtasks := array_append(opened_subtasks, occurrence.id);
    END IF;
    IF cardinality(occurrence.tree) > 1 THEN
      opened_trees := opened_trees || occurrence.tree;
      subtasks := subtasks || occurrence.completed_with;
    END IF;
    taken_back := taken_back || occurrence.next_tree;
  END LOOP;
  PERFORM set_config('taskgate.consequence', 'on', true);
  DELETE FROM tasks WHERE id = ANY (taken_back);
  UPDATE tasks SET completed = false, completed_at = NULL, updated_at = now() WHERE id = ANY (subtasks);
  PERFORM set_config('taskgate.consequence', '', true);
  RETURN ended;
END $$;
