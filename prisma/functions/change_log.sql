-- Triggers raise the revision of each changed space by the number of its changed entities, and log them, in the writer's
-- transaction: no code path can skip it. Raising a revision locks the space's row until commit. Within a space, revisions are
-- therefore in the order of commits, and no cursor can skip a late commit.

CREATE TYPE change_entry AS (
  space_id text, type "EntityType", kind "ChangeKind", entity_ids text[], fields text[],
  project_id text, previous_project_id text
);

-- Distinguishes changes with the same revision: see docs/decisions/0801. 0 means no change.
CREATE FUNCTION new_history_nonce() RETURNS integer LANGUAGE sql AS $$ SELECT 1 + (random() * 1e9)::integer $$;

-- Readers hold a whole part of a transaction. A bulk change of 1,000 tasks with tags has 3,000 entities.
CREATE FUNCTION max_part() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 5000 $$;

-- The setting follows savepoints.
CREATE FUNCTION next_part(entities bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  logged bigint := coalesce(setting_of_transaction('logged'), '0');
BEGIN
  IF logged % max_part() + entities > max_part() THEN
    logged := (logged / max_part() + 1) * max_part();
  END IF;
  -- One expression is faster than a statement.
  RETURN (set_config('taskgate.logged', (logged + entities)::text, true)::bigint - entities) / max_part();
END $$;

-- Entities get the revisions up to the raised one, with one nonce. Plain statements are faster than common table expressions.
-- An entity's entries stay in one slice, such as both sides of a move.
CREATE FUNCTION log_changes(entries change_entry[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  entities bigint := cardinality(entries[1].entity_ids);
  raised_by bigint;
  part_of_them change_entry[];
  operation text;
  part_number integer;
  change change_entry;
  space spaces;
BEGIN
  IF entities IS NULL THEN
    RETURN;
  END IF;
  raised_by := entities;
  IF cardinality(entries) > 1 THEN
    entities := (SELECT sum(cardinality(entity_ids)) FROM unnest(entries));
    entries := ARRAY(SELECT entry FROM unnest(entries) AS entry ORDER BY space_id);
  END IF;
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
  operation := current_operation();
  part_number := next_part(entities);
  FOREACH change IN ARRAY entries LOOP
    IF change.space_id IS DISTINCT FROM space.id THEN
      IF cardinality(entries) > 1 THEN
        raised_by := (SELECT sum(cardinality(entity_ids)) FROM unnest(entries) WHERE space_id = change.space_id);
      END IF;
      UPDATE spaces SET history_nonce = new_history_nonce(), revision = revision + raised_by
      WHERE id = change.space_id RETURNING * INTO space;
      -- The space is deleted with its log.
      CONTINUE WHEN NOT FOUND;
      INSERT INTO operations (id, space_id, actor_id, client, undo_of) VALUES (
        operation, space.id,
        setting_of_transaction('actor'), setting_of_transaction('client'), setting_of_transaction('undo_of')
      ) ON CONFLICT DO NOTHING;
      PERFORM announce_operation(operation);
    END IF;
    INSERT INTO changes (
      space_id, revision, operation_id, part, type, kind, entity_ids, entity_count, fields, project_id, previous_project_id,
      history_nonce, period
    ) VALUES (
      space.id, space.revision, operation, part_number, change.type, change.kind, change.entity_ids,
      cardinality(change.entity_ids), change.fields, change.project_id, change.previous_project_id, space.history_nonce,
      (SELECT number FROM log_period)
    );
    space.revision := space.revision - cardinality(change.entity_ids);
  END LOOP;
END $$;

-- See docs/decisions/0800. A reader that delays `TRUNCATE` delays others behind it, so it waits only for a moment. Later
-- changes in the partition are kept, and spaces are raised again. Returns whether the period began.
CREATE FUNCTION begin_log_period(next smallint) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '200ms' AS $$
DECLARE
  period log_period;
BEGIN
  SELECT * INTO period FROM log_period WHERE (number + 1) % 3 = next AND raised_at IS NOT NULL FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  EXECUTE format('LOCK TABLE changes_%s IN ACCESS EXCLUSIVE MODE', next);
  IF EXISTS (
    SELECT FROM changes WHERE changes.period = next AND transaction_id >= pg_snapshot_xmin(period.raised_snapshot)::text::bigint
      AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, period.raised_snapshot)
  ) THEN
    UPDATE log_period SET raised_at = NULL;
    RETURN false;
  END IF;
  EXECUTE format('TRUNCATE changes_%s', next);
  UPDATE log_period SET number = next, began_at = now(), raised_at = NULL;
  RETURN true;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END $$;

-- The revision may be inside a row.
CREATE FUNCTION history_nonce_at(space spaces, at_revision bigint) RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN coalesce(
    (SELECT CASE WHEN revision - entity_count < at_revision THEN history_nonce END
      FROM changes WHERE space_id = space.id AND revision >= at_revision ORDER BY revision LIMIT 1),
    (SELECT history_nonce FROM changes WHERE space_id = space.id AND revision <= at_revision ORDER BY revision DESC LIMIT 1),
    space.log_start_nonce
  );
END $$;

-- Whether the log has all changes since a revision and nonce of the same history.
CREATE FUNCTION can_resume(space spaces, from_revision bigint, from_nonce integer) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT CASE
    WHEN from_revision = space.revision THEN from_nonce = space.history_nonce
    WHEN from_revision BETWEEN space.log_start AND space.revision THEN from_nonce = history_nonce_at(space, from_revision)
    ELSE false
  END
$$;

-- Tags are private, so a change of a task's tags is logged in the tags' space. Without access to the task, their owner learns
-- only that it is gone: removing tags neither raises nor locks others' personal spaces.
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

-- If an undo restores tags with their tasks, the change of the task covers them.
CREATE FUNCTION log_task_tags() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF setting_of_transaction('restores_tags') IS NOT NULL OR NOT EXISTS (SELECT FROM changed_rows) THEN
    RETURN NULL;
  END IF;
  PERFORM log_tagged_tasks(array_agg(task_id), array_agg(space_id)) FROM changed_rows;
  PERFORM keep_tags(TG_OP, array_agg(task_id), array_agg(tag_id), array_agg(space_id)) FROM changed_rows;
  RETURN NULL;
END $$;
CREATE TRIGGER log_insert AFTER INSERT ON task_tags REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();
CREATE TRIGGER log_delete AFTER DELETE ON task_tags REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_task_tags();

-- Writes nothing to the personal space, which nobody locks for another user. Readers compare memberships.
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

CREATE FUNCTION log_whole_spaces(entity_type "EntityType", spaces text[], field text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_changes(ARRAY(
    SELECT (id, entity_type, 'UPDATED', ARRAY[id], ARRAY[field], NULL, NULL)::change_entry FROM unnest(spaces) AS id
  ));
END $$;

CREATE FUNCTION log_preferences() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM log_whole_spaces('USER', ARRAY(
    SELECT n.user_id FROM new_rows n FULL JOIN old_rows o ON o.user_id = n.user_id WHERE n.* IS DISTINCT FROM o.*
  ), 'preferences');
  RETURN NULL;
END $$;
CREATE TRIGGER log_update AFTER UPDATE ON preferences REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION log_preferences();

-- The id of an entity that came from another space stays taken, because that space's history has it.
CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  gone text[] := ARRAY(SELECT id FROM old_rows);
BEGIN
  DELETE FROM changes WHERE space_id = ANY (gone);
  DELETE FROM trash USING operations
  WHERE operations.space_id = ANY (gone) AND operation_id = operations.id AND trash.space_id = ANY (gone);
  INSERT INTO trash (entity_id, type, operation_id, erased_from)
  SELECT DISTINCT id, type, current_operation(), '{}'::text[] FROM (
    SELECT unnest(entity_ids) AS id, type
    FROM operations JOIN history ON operation_id = operations.id AND history.space_id = operations.space_id
    WHERE operations.space_id = ANY (gone) AND is_move AND kind = 'CREATED'
  ) AS came
  -- A cascade deletes them after this trigger.
  WHERE NOT is_outside(id, gone)
  ON CONFLICT DO NOTHING;
  DELETE FROM history USING operations
  WHERE operations.space_id = ANY (gone) AND operation_id = operations.id AND (history.space_id = ANY (gone) OR is_hidden);
  -- Of comments in other spaces, only the present texts stay. A foreign key would log the change later than the actor is removed.
  UPDATE comments SET author_id = NULL WHERE author_id = ANY (gone);
  UPDATE trash SET erased_from = '{}', within_id = NULL, author_id = NULL WHERE author_id = ANY (gone);
  DELETE FROM history WHERE author_id = ANY (gone) AND images IS NOT NULL;
  UPDATE history SET author_id = NULL WHERE author_id = ANY (gone);
  DELETE FROM operations WHERE space_id = ANY (gone);
  RETURN NULL;
END $$;
CREATE TRIGGER forget_changes AFTER DELETE ON spaces REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION forget_changes();

-- In other spaces, too. Tasks are in the log for replicas, but not in the history, because nobody edited them.
CREATE FUNCTION forget_user() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  entries change_entry[];
BEGIN
  WITH forgotten AS (
    UPDATE tasks SET created_by_id = NULL
    WHERE created_by_id = OLD.id AND EXISTS (SELECT FROM spaces WHERE id = tasks.space_id)
    RETURNING id, space_id, project_id
  )
  SELECT ARRAY(
    SELECT (space_id, 'TASK', 'UPDATED', array_agg(id), '{createdBy}', project_id, NULL)::change_entry
    FROM forgotten GROUP BY space_id, project_id
  ) INTO entries;
  PERFORM log_changes(entries);
  UPDATE operations SET actor_id = NULL, client = NULL WHERE actor_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_user AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_user();
