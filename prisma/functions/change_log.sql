-- The change log. Triggers, of statements but for `raise_on_rename` (related_revisions.sql), raise the revision of each space
-- by the number of entities that changed in it and log them, inside the writer's transaction: no code path can forget it.
-- Raising a revision locks the space's row until commit, so that within a space the order of revisions is the order of
-- commits, and no cursor can pass over a late commit.

-- What a statement changed in the same way in a space; see the table.
CREATE TYPE change_entry AS (
  space_id text, type "EntityType", kind "ChangeKind", entity_ids text[], fields text[],
  project_id text, previous_project_id text
);

-- Tells a change from all others that have, or get, its revision: in a database that was restored from a backup, or after a
-- failover that lost commits, revisions are counted again from where the lost history parted. 0 is that of no change.
CREATE FUNCTION new_history_nonce() RETURNS integer LANGUAGE sql AS $$ SELECT 1 + (random() * 1e9)::integer $$;

-- How many rows of entities a part of a transaction has at most: readers hold one part as a whole. A bulk change of 1,000
-- tasks with their tags has 3,000.
CREATE FUNCTION max_part() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 5000 $$;

-- The part of the running transaction to which the next so many entities belong. All that the parts before have been given is
-- counted in a setting, which ends with the transaction, and goes back with a savepoint.
CREATE FUNCTION next_part(entities bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  logged bigint := coalesce(nullif(current_setting('taskgate.logged', true), ''), '0')::bigint;
BEGIN
  IF logged % max_part() + entities > max_part() THEN
    logged := (logged / max_part() + 1) * max_part();
  END IF;
  PERFORM set_config('taskgate.logged', (logged + entities)::text, true);
  RETURN logged / max_part();
END $$;

-- What every writer of the log calls, once a statement: raises each space by the number of its changed entities, and gives
-- them the revisions in between and a nonce. More entities than a part has are logged by slices: what a statement did to an
-- entity, such as moving it from one space to another, is in one of them.
CREATE FUNCTION log_changes(entries change_entry[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entities bigint := (SELECT sum(cardinality(entity_ids)) FROM unnest(entries));
  part_of_them change_entry[];
BEGIN
  IF entities > max_part() THEN
    FOR part_of_them IN
      WITH entity AS (
        SELECT n AS entry, id, (dense_rank() OVER (ORDER BY id) - 1) / (max_part() / 2) AS slice
        FROM unnest(entries) WITH ORDINALITY AS entry (s, t, k, entity_ids, f, p, pp, n), unnest(entity_ids) AS id
      ), sliced AS (
        SELECT slice, entry, array_agg(id ORDER BY id) AS ids FROM entity GROUP BY slice, entry
      )
      SELECT array_agg((
        entries[entry].space_id, entries[entry].type, entries[entry].kind, ids, entries[entry].fields,
        entries[entry].project_id, entries[entry].previous_project_id
      )::change_entry ORDER BY entry) FROM sliced GROUP BY slice ORDER BY slice
    LOOP
      PERFORM log_changes(part_of_them);
    END LOOP;
    RETURN;
  END IF;
  WITH change AS (
    SELECT *, sum(cardinality(entity_ids)) OVER (PARTITION BY space_id ROWS UNBOUNDED PRECEDING) AS n
    FROM unnest(entries)
  ), raised AS (
    UPDATE spaces SET revision = spaces.revision + c.n, history_nonce = new_history_nonce()
    FROM (SELECT space_id, max(n) AS n FROM change GROUP BY space_id) c
    WHERE spaces.id = c.space_id
    RETURNING spaces.id, spaces.revision - c.n AS base, history_nonce
  )
  INSERT INTO changes (
    space_id, revision, part, type, kind, entity_ids, fields, project_id, previous_project_id, history_nonce
  )
  SELECT space_id, base + n, next_part, type, kind, entity_ids, fields, project_id, previous_project_id, history_nonce
  FROM change JOIN raised ON raised.id = space_id, next_part(entities);
END $$;

-- Nonce of the last change of a space up to a revision, which may be within a row.
CREATE FUNCTION history_nonce_at(space spaces, at_revision bigint) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    (SELECT CASE WHEN revision - entity_count < at_revision THEN history_nonce END
      FROM changes WHERE space_id = space.id AND revision >= at_revision ORDER BY revision LIMIT 1),
    (SELECT history_nonce FROM changes WHERE space_id = space.id AND revision <= at_revision ORDER BY revision DESC LIMIT 1),
    space.log_start_nonce
  );
END $$;

-- Whether a reader can resume by the log from a point of a space, a revision with its nonce: it is of this history, and all
-- that came later is kept.
CREATE FUNCTION can_resume(space spaces, from_revision bigint, from_nonce integer) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN from_revision = space.revision THEN from_nonce = space.history_nonce
    WHEN from_revision BETWEEN space.log_start AND space.revision THEN from_nonce = history_nonce_at(space, from_revision)
    ELSE false
  END
$$;

-- Tasks: what the subscribers of task changes are told of them has the names of the fields and the projects.

CREATE FUNCTION log_created_tasks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (space_id, 'TASK', 'CREATED', array_agg(id), '{}', project_id, NULL)::change_entry
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
    SELECT (space_id, 'TASK', 'UPDATED', task_ids, string_to_array(fields, ' '), project_id,
      CASE WHEN project_id <> old_project_id THEN old_project_id END)::change_entry
    FROM difference WHERE space_id = old_space_id AND fields <> ''
    UNION ALL
    SELECT (old_space_id, 'TASK', 'DELETED', task_ids, string_to_array(fields, ' '), old_project_id, NULL)::change_entry
    FROM difference WHERE space_id <> old_space_id
    UNION ALL
    SELECT (space_id, 'TASK', 'CREATED', task_ids, string_to_array(fields, ' '), project_id, NULL)::change_entry
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
    SELECT (space_id, 'TASK', 'DELETED', array_agg(id), '{}', project_id, NULL)::change_entry
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
    SELECT (entry.space_id, 'TASK', 'UPDATED', array_agg(tasks.id), '{tags}', tasks.project_id, NULL)::change_entry
    FROM (SELECT DISTINCT * FROM unnest(changed, spaces_of)) AS entry (task_id, space_id)
    JOIN tasks ON tasks.id = entry.task_id
    JOIN memberships ON memberships.space_id = tasks.space_id AND memberships.user_id = entry.space_id
    GROUP BY entry.space_id, tasks.project_id
  ));
END $$;

CREATE FUNCTION log_task_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM changed_rows HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON task_tags REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();
CREATE TRIGGER log_delete AFTER DELETE ON task_tags REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();

-- Projects, sections and tags; a row that an UPDATE leaves as it was is no change.
--   TG_ARGV[0]: type of the table's entities
CREATE FUNCTION log_created() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (space_id, TG_ARGV[0], 'CREATED', array_agg(id), '{}', NULL, NULL)::change_entry FROM new_rows GROUP BY space_id
  ));
  RETURN NULL;
END $$;

-- A section that moves to another space is DELETED in the one and CREATED in the other.
CREATE FUNCTION log_updated() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    WITH difference AS MATERIALIZED (
      SELECT o.space_id AS old_space_id, n.space_id, array_agg(n.id) AS ids
      FROM old_rows o FULL JOIN new_rows n ON n.id = o.id WHERE n.* IS DISTINCT FROM o.* GROUP BY o.space_id, n.space_id
    )
    SELECT (space_id, TG_ARGV[0], 'UPDATED', ids, '{}', NULL, NULL)::change_entry
    FROM difference WHERE space_id = old_space_id
    UNION ALL
    SELECT (old_space_id, TG_ARGV[0], 'DELETED', ids, '{}', NULL, NULL)::change_entry
    FROM difference WHERE space_id <> old_space_id
    UNION ALL
    SELECT (space_id, TG_ARGV[0], 'CREATED', ids, '{}', NULL, NULL)::change_entry
    FROM difference WHERE space_id <> old_space_id
  ));
  RETURN NULL;
END $$;

-- A cascade fires this once for each deleted row of the other table, mostly with nothing in it.
CREATE FUNCTION log_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM old_rows) THEN
    PERFORM log_changes(ARRAY(
      SELECT (space_id, TG_ARGV[0], 'DELETED', array_agg(id), '{}', NULL, NULL)::change_entry FROM old_rows GROUP BY space_id
    ));
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER log_insert AFTER INSERT ON projects REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_created('PROJECT');
CREATE TRIGGER log_update AFTER UPDATE ON projects REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_updated('PROJECT');
CREATE TRIGGER log_delete AFTER DELETE ON projects REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_deleted('PROJECT');

CREATE TRIGGER log_insert AFTER INSERT ON sections REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_created('SECTION');
CREATE TRIGGER log_update AFTER UPDATE ON sections REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_updated('SECTION');
CREATE TRIGGER log_delete AFTER DELETE ON sections REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_deleted('SECTION');

CREATE TRIGGER log_insert AFTER INSERT ON tags REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_created('TAG');
CREATE TRIGGER log_update AFTER UPDATE ON tags REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_updated('TAG');
CREATE TRIGGER log_delete AFTER DELETE ON tags REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_deleted('TAG');

-- A workspace: its name and its members. Nothing is written to the personal space of who joins or leaves, as nobody locks
-- that of somebody else: where memberships begin and end in the order is read from the memberships themselves.
CREATE FUNCTION log_members() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_whole_spaces(
    'WORKSPACE', ARRAY(SELECT DISTINCT space_id FROM changed_rows WHERE space_id <> user_id), 'members'
  );
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON memberships REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_members();
CREATE TRIGGER log_update AFTER UPDATE ON memberships REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_members();
CREATE TRIGGER log_delete AFTER DELETE ON memberships REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_members();

-- Logs that workspaces, or the users of personal spaces, changed themselves, and what of them: each in its own space.
CREATE FUNCTION log_whole_spaces(entity_type "EntityType", spaces text[], field text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (id, entity_type, 'UPDATED', ARRAY[id], ARRAY[field], NULL, NULL)::change_entry FROM unnest(spaces) AS id
  ));
END $$;

-- A user: their row, as they see it themselves (related_revisions.sql), and their preferences.
CREATE FUNCTION log_preferences() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_whole_spaces('USER', ARRAY(
    SELECT n.user_id FROM new_rows n FULL JOIN old_rows o ON o.user_id = n.user_id WHERE n.* IS DISTINCT FROM o.*
  ), 'preferences');
  RETURN NULL;
END $$;
CREATE TRIGGER log_update AFTER UPDATE ON preferences REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_preferences();

-- The log of a space goes with it.
CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM changes WHERE space_id IN (SELECT id FROM old_rows);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_changes AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION forget_changes();
