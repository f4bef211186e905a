-- The assignees of a task are members of its space, whoever writes.

-- In the order of the ids. For use under the lock of the space.
CREATE FUNCTION members_among(ids text[], space text) RETURNS text[] LANGUAGE sql STABLE AS $$
  SELECT ARRAY(
    SELECT user_id FROM unnest(ids) WITH ORDINALITY AS each (id, position)
    JOIN memberships ON memberships.space_id = space AND user_id = id
    GROUP BY user_id ORDER BY min(position)
  )
$$;

-- Of the assignees that a task brings from another space, it keeps the members of the new one.
CREATE FUNCTION check_assignees() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  checked CONSTANT text := NEW.space_id || NEW.assignee_ids;
  members text[];
BEGIN
  -- A bulk change assigns the same members to each task: a setting tells that they were found.
  IF setting_of_transaction('assigned') = checked THEN
    RETURN NEW;
  ELSIF cardinality(NEW.assignee_ids) = (
    SELECT count(*) FROM memberships WHERE space_id = NEW.space_id AND user_id = ANY (NEW.assignee_ids)
  ) THEN
    PERFORM set_config('taskgate.assigned', checked, true);
    RETURN NEW;
  END IF;
  members := members_among(NEW.assignee_ids, NEW.space_id);
  IF TG_OP = 'UPDATE' AND NEW.space_id <> OLD.space_id AND NEW.assignee_ids <@ (OLD.assignee_ids || members) THEN
    NEW.assignee_ids := members;
    RETURN NEW;
  END IF;
  RAISE 'assignees must be members of the space of the task' USING ERRCODE = 'check_violation', CONSTRAINT = 'tasks_assignee_ids_check';
END $$;
CREATE TRIGGER check_assignees BEFORE INSERT OR UPDATE OF assignee_ids, space_id ON tasks
  FOR EACH ROW WHEN (NEW.assignee_ids <> '{}') EXECUTE FUNCTION check_assignees();

CREATE FUNCTION list_assignees() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  ended text[];
BEGIN
  -- Most tasks have no assignees, and do not pay for it.
  IF NOT EXISTS (SELECT FROM new_rows WHERE assignee_ids <> '{}') AND NOT EXISTS (SELECT FROM old_rows WHERE assignee_ids <> '{}') THEN
    RETURN NULL;
  END IF;
  -- EXCEPT reads each table once, however many rows a connection's first change has: see docs/decisions/0501.
  ended := ARRAY(
    SELECT id FROM (SELECT id, unnest(assignee_ids) FROM old_rows EXCEPT SELECT id, unnest(assignee_ids) FROM new_rows) AS assignment (id)
  );
  IF ended <> '{}' THEN
    DELETE FROM task_assignees WHERE task_id = ANY (ended)
      AND user_id <> ALL (ARRAY(SELECT unnest(assignee_ids) FROM tasks WHERE id = task_id));
    PERFORM withdraw_assignments(ended);
  END IF;
  INSERT INTO task_assignees (task_id, user_id)
  SELECT id, unnest(assignee_ids) FROM new_rows EXCEPT SELECT id, unnest(assignee_ids) FROM old_rows;
  RETURN NULL;
END $$;
CREATE TRIGGER list_assignees_on_update AFTER UPDATE ON tasks REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION list_assignees();

-- A new task without assignees does not pay for it.
CREATE FUNCTION list_assignees_of_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO task_assignees (task_id, user_id) SELECT NEW.id, unnest(NEW.assignee_ids);
  RETURN NULL;
END $$;
CREATE TRIGGER list_assignees_on_insert AFTER INSERT ON tasks
  FOR EACH ROW WHEN (NEW.assignee_ids <> '{}') EXECUTE FUNCTION list_assignees_of_created();

-- However a membership ends. The tasks of a deleted space go with it.
CREATE FUNCTION end_assignments() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  ended record;
BEGIN
  PERFORM lock_spaces(ARRAY(SELECT DISTINCT space_id FROM changed_rows)), set_config('taskgate.consequence', 'on', true);
  FOR ended IN SELECT space_id, user_id FROM changed_rows JOIN spaces ON spaces.id = space_id LOOP
    UPDATE tasks SET assignee_ids = members_among(assignee_ids, space_id), updated_at = now()
    WHERE space_id = ended.space_id AND id IN (SELECT task_id FROM task_assignees WHERE task_assignees.user_id = ended.user_id);
  END LOOP;
  PERFORM set_config('taskgate.consequence', '', true), set_config('taskgate.assigned', '', true);
  RETURN NULL;
END $$;
CREATE TRIGGER end_assignments AFTER DELETE ON memberships REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION end_assignments();
