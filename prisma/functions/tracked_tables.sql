-- Log, history and locks of entities' tables (plural of an entity type, with a `space_id`). Generated from columns and keys, so
-- nothing can be forgotten. The log names fields: `due_date` is `dueDate`, `parent_id` is `parent`. A connection keeps the plans of
-- functions. Look-ups of arrays and `enable_seqscan = off` suit a table that was empty at a connection's first change, too.

DO $generate$
DECLARE
  tracked record;
  names text;
  differences text;
  image text;
  difference text;
  spaces_of_others text := '';
  author text;
  in_tasks text;
  image_of_move text;
  living text := '';
BEGIN
  FOR tracked IN
    SELECT
      relname AS name, enumlabel AS type,
      -- For subscribers of task changes.
      enumlabel = 'TASK' AS has_fields,
      -- Others do not see the author's texts. The rows belong to a task, which is reported as changed.
      relname = 'comments' AS is_authored,
      -- A deleted row that goes with this one.
      (
        SELECT format('coalesce(%s NULL::text)', string_agg(
          format('CASE WHEN NOT EXISTS (SELECT FROM %2$s WHERE id = o.%1$I) THEN o.%1$I END, ', attname, confrelid::regclass), ''
          ORDER BY attname
        ))
        FROM pg_constraint JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
        WHERE conrelid = pg_class.oid AND (confdeltype = 'c' OR conname = 'comments_task_fkey') AND confrelid <> 'spaces'::regclass
      ) AS within,
      -- The inbox belongs to its account, whose creation has no history.
      CASE relname WHEN 'projects' THEN 'AND NOT is_default' ELSE '' END AS and_is_kept
    -- enum_range() cannot use values that the transaction itself added.
    FROM pg_enum JOIN pg_class ON pg_class.oid = to_regclass(lower(enumlabel) || 's')
    WHERE enumtypid = '"EntityType"'::regtype
      AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = pg_class.oid AND attname = 'space_id')
  LOOP
    SELECT
      string_agg(format('CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I THEN %2$L END', attname, field_of_column(attname)), ', ')
        FILTER (WHERE is_logged),
      string_agg(format($sql$CASE WHEN n.%1$I IS DISTINCT FROM o.%1$I THEN
        '"%1$s":[' || coalesce(to_json(o.%1$I)::text, 'null') || ',' || coalesce(to_json(n.%1$I)::text, 'null') || ']' END$sql$,
        attname), ', ') FILTER (WHERE is_logged AND attname <> 'author_id'),
      string_agg(format('%1$L, %%1$s.%1$I', attname), ', ')
    INTO names, differences, image
    FROM (
      SELECT attname, attname NOT IN ('id', 'space_id', 'created_by_id', 'updated_at') AS is_logged FROM pg_attribute
      WHERE attrelid = tracked.name::regclass AND attnum > 0 AND NOT attisdropped AND atttypid <> 'tsvector'::regtype ORDER BY attnum
    ) AS attribute;
    author := CASE WHEN tracked.is_authored THEN ', author_id' ELSE '' END;
    -- A comment moves only with its task, and an undo with it.
    image_of_move := CASE WHEN tracked.is_authored THEN 'NULL::text' ELSE 'CASE WHEN n.space_id <> o.space_id THEN json_build_object(%s)::text END' END;
    in_tasks := CASE WHEN tracked.is_authored THEN '|| changes_of_comments(ARRAY(SELECT task_id FROM %s))' ELSE '' END;

    EXECUTE format($sql$
      CREATE FUNCTION log_created_%1$s() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      BEGIN
        -- The message names the table's key, as for a living entity: neither reveals its space.
        IF EXISTS (SELECT FROM trash WHERE entity_id = ANY (ARRAY(SELECT id FROM new_rows))) THEN
          RAISE 'the id of a deleted entity is taken: %1$s_pkey' USING ERRCODE = 'unique_violation', CONSTRAINT = '%1$s_pkey',
            HINT = 'Restore the entity, or delete its row of the table trash first.';
        END IF;
        PERFORM log_changes(ARRAY(
          SELECT (space_id, %2$L, 'CREATED', array_agg(id), '{}', project_id, NULL)::change_entry
          FROM (SELECT id, space_id, %3$s AS project_id FROM new_rows AS n) AS made GROUP BY space_id, project_id
        ) %6$s);
        -- keeps_history() costs more than the join for one task.
        INSERT INTO history (operation_id, space_id, type, kind, entity_ids %5$s)
        SELECT current_operation(), space_id, %2$L, 'CREATED', array_agg(id) %5$s FROM new_rows, history_settings
        WHERE days > 0 %4$s GROUP BY space_id %5$s;
        RETURN NULL;
      END $$;
      CREATE TRIGGER log_insert AFTER INSERT ON %1$I REFERENCING NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION log_created_%1$s()$sql$,
      tracked.name, tracked.type, CASE WHEN tracked.has_fields THEN 'n.project_id' ELSE 'NULL::text' END, tracked.and_is_kept,
      author, format(in_tasks, 'new_rows'));

    -- An entity that moves is DELETED in one space and CREATED in the other. The planner makes no loop of a full join, however
    -- many rows a connection's first change has: see docs/decisions/0501. Grouping field names as text is faster than as an
    -- array. One row that stays in its space needs no groups: 0.85 of the statement's CPU.
    difference := format($sql$
          SELECT n.id, o.space_id AS old_space_id, n.space_id, %1$s AS old_project_id, %2$s AS project_id,
            concat_ws(' ', %3$s) AS fields, concat_ws(',', %4$s) AS image,
            %5$s AS old_image, %6$s AS new_image %7$s
          FROM old_rows o FULL JOIN new_rows n ON $sql$,
      CASE WHEN tracked.has_fields THEN 'o.project_id' ELSE 'NULL::text' END,
      CASE WHEN tracked.has_fields THEN 'n.project_id' ELSE 'NULL::text' END,
      names, differences, format(image_of_move, format(image, 'o')), format(image_of_move, format(image, 'n')), replace(author, 'author_id', 'n.author_id'));

    EXECUTE format($sql$
      CREATE FUNCTION log_updated_%1$s() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      DECLARE
        rows CONSTANT bigint := (SELECT count(*) FROM (SELECT FROM new_rows LIMIT 2) AS first_rows);
        entries change_entry[];
        change record;
      BEGIN
        IF rows = 1 THEN
          %3$s true INTO change;
          IF change.space_id = change.old_space_id THEN
            IF change.fields <> '' THEN
              INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images %6$s)
              SELECT current_operation(), change.space_id, %2$L, 'UPDATED', ARRAY[change.id], ARRAY['{' || change.image || '}'] %7$s
              FROM history_settings WHERE days > 0 AND change.image <> '';
              PERFORM log_changes(ARRAY[(change.space_id, %2$L, 'UPDATED', ARRAY[change.id], string_to_array(%4$s, ' '),
                change.project_id, CASE WHEN change.project_id <> change.old_project_id THEN change.old_project_id END)::change_entry] %8$s);
            END IF;
            RETURN NULL;
          END IF;
        ELSIF rows = 0 THEN
          RETURN NULL;
        END IF;
        WITH difference AS MATERIALIZED (
          %3$s n.id = o.id
        ), kept AS (
          INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images, is_move %6$s)
          SELECT current_operation(), space_id, %2$L, kind, array_agg(id), array_agg(image), is_move %6$s FROM (
            SELECT *, sum(octet_length(image)) OVER (PARTITION BY space_id, kind ROWS UNBOUNDED PRECEDING) / max_image_bytes() AS slice
            FROM (
              SELECT id, space_id, 'UPDATED'::"ChangeKind" AS kind, '{' || image || '}' AS image, false AS is_move %6$s
              FROM difference WHERE space_id = old_space_id AND image <> ''
              %9$s
            ) AS change WHERE keeps_history()
          ) AS sliced
          GROUP BY space_id, kind, is_move, slice %6$s
        ), grouped AS (
          SELECT old_space_id, space_id, old_project_id, project_id, %5$s AS fields, array_agg(id) AS ids FROM difference
          WHERE fields <> '' OR space_id <> old_space_id
          GROUP BY old_space_id, space_id, old_project_id, project_id, difference.fields
        )
        SELECT ARRAY(
          SELECT (space_id, %2$L, 'UPDATED', ids, string_to_array(fields, ' '), project_id,
            CASE WHEN project_id <> old_project_id THEN old_project_id END)::change_entry
          FROM grouped WHERE space_id = old_space_id
          UNION ALL
          SELECT (old_space_id, %2$L, 'DELETED', ids, string_to_array(fields, ' '), old_project_id, NULL)::change_entry
          FROM grouped WHERE space_id <> old_space_id
          UNION ALL
          SELECT (space_id, %2$L, 'CREATED', ids, string_to_array(fields, ' '), project_id, NULL)::change_entry
          FROM grouped WHERE space_id <> old_space_id
        ) %8$s INTO entries;
        PERFORM log_changes(entries);
        %10$s
        RETURN NULL;
      END $$;
      CREATE TRIGGER log_update AFTER UPDATE ON %1$I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION log_updated_%1$s()$sql$,
      tracked.name, tracked.type, difference, CASE WHEN tracked.has_fields THEN 'change.fields' ELSE '''''::text' END,
      CASE WHEN tracked.has_fields THEN 'difference.fields' ELSE '''''::text' END,
      author, replace(author, 'author_id', 'change.author_id'),
      format(in_tasks, 'new_rows JOIN old_rows USING (id, space_id, task_id)'),
      CASE WHEN tracked.is_authored THEN '' ELSE $sql$
              UNION ALL SELECT id, old_space_id, 'DELETED', old_image, true FROM difference WHERE space_id <> old_space_id
              UNION ALL SELECT id, space_id, 'CREATED', new_image, true FROM difference WHERE space_id <> old_space_id$sql$ END,
      CASE tracked.name WHEN 'tasks' THEN $sql$
        IF EXISTS (SELECT FROM unnest(entries) WHERE kind = 'DELETED') THEN
          UPDATE comments SET space_id = task.space_id FROM tasks AS task
          WHERE task_id = ANY (ARRAY(SELECT id FROM new_rows)) AND task.id = task_id AND comments.space_id <> task.space_id;
          PERFORM end_claims(ARRAY(SELECT id FROM new_rows)), raise_readers_of_unread(ARRAY(SELECT id FROM new_rows));
        END IF;$sql$ ELSE '' END);

    -- Cascades fire this for each parent, mostly without rows.
    EXECUTE format($sql$
      CREATE FUNCTION log_deleted_%1$s() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
      BEGIN
        IF NOT EXISTS (SELECT FROM old_rows) THEN
          RETURN NULL;
        END IF;
        %6$s
        PERFORM log_changes(ARRAY(
          SELECT (space_id, %2$L, 'DELETED', array_agg(id), '{}', project_id, NULL)::change_entry
          FROM (SELECT id, space_id, %3$s AS project_id FROM old_rows AS o) AS gone GROUP BY space_id, project_id
        ) %8$s);
        WITH gone AS MATERIALIZED (
          SELECT id, space_id, json_build_object(%4$s)::text AS image, %5$s AS within_id %7$s FROM old_rows AS o
          WHERE keeps_history() AND EXISTS (SELECT FROM spaces WHERE id = o.space_id)
        ), kept AS (
          INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images %7$s)
          SELECT current_operation(), space_id, %2$L, 'DELETED', array_agg(id), array_agg(image) %7$s
          FROM (
            SELECT *, sum(octet_length(image)) OVER (PARTITION BY space_id ROWS UNBOUNDED PRECEDING) / max_image_bytes() AS slice FROM gone
          ) AS sliced
          GROUP BY space_id, slice %7$s
        )
        INSERT INTO trash (entity_id, type, space_id, operation_id, within_id %7$s)
        SELECT id, %2$L, space_id, current_operation(), within_id %7$s FROM gone
        -- Rows that were loaded without triggers may have had the id.
        ON CONFLICT (entity_id) DO UPDATE SET space_id = EXCLUDED.space_id, operation_id = EXCLUDED.operation_id,
          within_id = EXCLUDED.within_id, author_id = EXCLUDED.author_id, erased_from = NULL;
        RETURN NULL;
      END $$;
      CREATE TRIGGER log_delete AFTER DELETE ON %1$I REFERENCING OLD TABLE AS old_rows
        FOR EACH STATEMENT EXECUTE FUNCTION log_deleted_%1$s()$sql$,
      tracked.name, tracked.type, CASE WHEN tracked.has_fields THEN 'o.project_id' ELSE 'NULL::text' END,
      format(image, 'o'), tracked.within,
      CASE tracked.name WHEN 'tasks' THEN $sql$
        DELETE FROM task_tags WHERE task_id = ANY (ARRAY(SELECT id FROM old_rows));
        DELETE FROM task_assignees WHERE task_id = ANY (ARRAY(SELECT id FROM old_rows));
        DELETE FROM comments WHERE task_id = ANY (ARRAY(SELECT id FROM old_rows));
        DELETE FROM claims WHERE task_id = ANY (ARRAY(SELECT id FROM old_rows));
        PERFORM forget_notifications(ARRAY(SELECT id FROM old_rows));$sql$ ELSE '' END,
      author, format(in_tasks, 'old_rows'));

    living := living || format('OR EXISTS (SELECT FROM %I WHERE id = entity AND space_id <> ALL (spaces)) ', tracked.name);
    IF tracked.name NOT IN ('tasks', 'tags') THEN
      spaces_of_others := spaces_of_others
        || format('UNION SELECT space_id FROM %I WHERE id = ANY (others) AND space_id = ANY (within) ', tracked.name);
    END IF;
  END LOOP;

  EXECUTE format($sql$
    CREATE FUNCTION is_outside(entity text, spaces text[]) RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT false %s $$$sql$, living);

  -- The spaces in `within` that ids name: by themselves, by their entities, or by a tag on a task in them.
  EXECUTE format($sql$
    CREATE FUNCTION spaces_of_ids(ids text[], within text[]) RETURNS text[] LANGUAGE plpgsql AS $$
    DECLARE
      task_ids text[] := ARRAY(SELECT id FROM unnest(ids) AS id WHERE id LIKE 'task%%');
      tag_ids text[] := ARRAY(SELECT id FROM unnest(ids) AS id WHERE id LIKE 'tag%%');
      others text[] := ARRAY(SELECT id FROM unnest(ids) AS id WHERE id NOT LIKE ALL ('{task%%,tag%%}'));
    BEGIN
      RETURN ARRAY(
        SELECT id FROM unnest(others) AS id WHERE id = ANY (within)
        UNION SELECT space_id FROM tasks WHERE id = ANY (task_ids) AND space_id = ANY (within)
        -- The first condition spares most writes the join, which may begin with a scan of tasks.
        UNION SELECT tasks.space_id FROM task_tags JOIN tasks ON tasks.id = task_id
          WHERE tag_ids <> '{}' AND tag_id = ANY (tag_ids) AND tasks.space_id = ANY (within)
        %s
      );
    END $$$sql$, spaces_of_others);
END $generate$;
