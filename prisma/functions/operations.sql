-- A transaction that changes something is an operation. Settings name its actor; SQL by hand has none.

CREATE FUNCTION setting_of_transaction(name text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('taskgate.' || name, true), '')
$$;

-- Five bits each.
CREATE FUNCTION typeid_digits(bits bit varying) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  digits text := '';
BEGIN
  FOR place IN 1..length(bits) BY 5 LOOP
    digits := digits || substr('0123456789abcdefghjkmnpqrstvwxyz', substring(bits, place, 5)::bit(5)::integer + 1, 1);
  END LOOP;
  RETURN digits;
END $$;

-- Lower bound of later ids: a TypeID begins with milliseconds.
CREATE FUNCTION first_operation_id(moment timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT 'op_' || typeid_digits(floor(extract(epoch FROM moment) * 1000)::bigint::bit(50))
$$;

-- A TypeID of a UUIDv7 (RFC 9562): milliseconds, version, 12 bits of their fraction, variant, 12 random hexadecimal digits. Ids
-- are in the order of creation.
CREATE FUNCTION new_id(prefix text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  now CONSTANT bigint := extract(epoch FROM clock_timestamp()) * 1000000;
BEGIN
  RETURN prefix || '_' || typeid_digits((now / 1000)::bit(50) || B'0111' || (now % 1000 * 4096 / 1000)::bit(12) || B'1000')
    || right(gen_random_uuid()::text, 12);
END $$;

CREATE FUNCTION current_operation() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  operation text := setting_of_transaction('operation');
BEGIN
  IF operation IS NULL THEN
    operation := set_config('taskgate.operation', new_id('op'), true);
  END IF;
  RETURN operation;
END $$;

-- Tells the writing process once. No setting suppresses INFO, and no log has it.
CREATE FUNCTION announce_operation(operation text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  request text;
BEGIN
  IF setting_of_transaction('announced') = operation THEN
    RETURN;
  END IF;
  operation := set_config('taskgate.announced', operation, true);
  request := setting_of_transaction('request');
  IF request IS NOT NULL THEN
    RAISE INFO '% %', request, operation USING ERRCODE = 'TG200';
  END IF;
END $$;

-- For a column of a result, instead of the announcement. Null if already announced.
CREATE FUNCTION return_operation() RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  RETURN CASE WHEN setting_of_transaction('announced') IS NULL
    THEN set_config('taskgate.announced', current_operation(), true) END;
END $$;

-- Larger images are split among rows, so no row takes much memory.
CREATE FUNCTION max_image_bytes() RETURNS integer LANGUAGE sql IMMUTABLE AS $$ SELECT 8 * 1024 * 1024 $$;

CREATE FUNCTION keeps_history() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT days > 0 FROM history_settings $$;

-- In the tags' space, for members of the tasks' space. Hidden if the owner is not notified, because the task itself is gone.
CREATE FUNCTION keep_tags(change text, changed text[], tags text[], spaces_of text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := CASE change WHEN 'INSERT' THEN 'added' ELSE 'removed' END;
BEGIN
  IF NOT keeps_history() THEN
    RETURN;
  END IF;
  INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images, entity_space_id, is_hidden)
  SELECT current_operation(), space_id, 'TASK', 'UPDATED', array_agg(task_id), array_agg(image), nullif(task_space_id, space_id),
    task_space_id IS NULL
  FROM (
    SELECT task_id, space_id,
      json_build_object('tags', json_build_object(name, json_agg(tag_id), 'now', coalesce(
        (SELECT json_agg(t.tag_id) FROM task_tags t WHERE t.task_id = entry.task_id AND t.space_id = entry.space_id), '[]'
      )))::text AS image,
      (
        SELECT tasks.space_id FROM tasks JOIN memberships ON memberships.space_id = tasks.space_id
        WHERE tasks.id = entry.task_id AND memberships.user_id = entry.space_id
      ) AS task_space_id
    FROM unnest(changed, tags, spaces_of) AS entry (task_id, tag_id, space_id)
    WHERE EXISTS (SELECT FROM spaces WHERE id = entry.space_id)
    GROUP BY task_id, space_id
  ) AS tagged
  GROUP BY space_id, task_space_id;
END $$;

CREATE FUNCTION field_of_column(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(words, 1) || substr(replace(initcap(replace(words, '_', ' ')), ' ', ''), 2)
  FROM (SELECT regexp_replace(name, '_id(s?)$', '\1') AS words) AS column_words
$$;
