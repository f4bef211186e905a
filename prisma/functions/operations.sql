-- Operations: a transaction that changes something has an id, which is written beside each of its changes. Whose it is, is in
-- settings that end with the transaction; SQL by hand has none.

CREATE FUNCTION setting_of_transaction(name text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT nullif(current_setting('taskgate.' || name, true), '')
$$;

-- What the ids of operations from a moment on come behind: a TypeID begins with the milliseconds.
CREATE FUNCTION first_operation_id(moment timestamptz) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  milliseconds CONSTANT bigint := floor(extract(epoch FROM moment) * 1000)::bigint;
  id text := 'op_';
BEGIN
  FOR shift IN REVERSE 9..0 LOOP
    id := id || substr('0123456789abcdefghjkmnpqrstvwxyz', ((milliseconds >> (5 * shift)) & 31)::integer + 1, 1);
  END LOOP;
  RETURN id;
END $$;

-- A TypeID of a UUIDv7 (RFC 9562): milliseconds, a fraction of one in 12 bits, and 62 random bits. So ids are in the order in which
-- they are made.
CREATE FUNCTION new_operation_id() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  digits CONSTANT text := '0123456789abcdefghjkmnpqrstvwxyz';
  now CONSTANT timestamptz := clock_timestamp();
  fraction CONSTANT integer := ((extract(microseconds FROM now)::bigint % 1000) * 4096 / 1000)::integer;
  id text := first_operation_id(now);
BEGIN
  -- The version, 7, is in the first of these, the variant, 10, in the fourth.
  id := id || substr(digits, 15 + (fraction >> 11), 1) || substr(digits, ((fraction >> 6) & 31) + 1, 1)
    || substr(digits, ((fraction >> 1) & 31) + 1, 1)
    || substr(digits, 9 + ((fraction & 1) << 4) + floor(random() * 4)::integer, 1);
  FOR n IN 1..12 LOOP
    id := id || substr(digits, floor(random() * 32)::integer + 1, 1);
  END LOOP;
  RETURN id;
END $$;

-- The operation that the running transaction is. It is made by its first change.
CREATE FUNCTION current_operation() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  operation text := setting_of_transaction('operation');
BEGIN
  IF operation IS NULL THEN
    operation := set_config('taskgate.operation', new_operation_id(), true);
  END IF;
  RETURN operation;
END $$;

-- Tells the writing process, once, that its transaction is an operation: by a message that the server sends along, INFO, which no
-- setting keeps back and no log has.
CREATE FUNCTION announce_operation(operation text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF setting_of_transaction('announced') = operation THEN
    RETURN;
  END IF;
  PERFORM set_config('taskgate.announced', operation, true);
  IF setting_of_transaction('request') IS NOT NULL THEN
    RAISE INFO '% %', setting_of_transaction('request'), operation USING ERRCODE = 'TG200';
  END IF;
END $$;

-- Whether images are kept.
CREATE FUNCTION keeps_history() RETURNS boolean LANGUAGE sql STABLE AS $$ SELECT days > 0 FROM history_settings $$;

-- Keeps what was taken off tasks, or put on them: in the space of each tag. Where its owner does not hear of it, as the task is gone
-- with it, it is hidden.
CREATE FUNCTION keep_tags(change text, changed text[], tags text[], spaces_of text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  name CONSTANT text := CASE change WHEN 'INSERT' THEN 'added' ELSE 'removed' END;
BEGIN
  IF NOT keeps_history() THEN
    RETURN;
  END IF;
  INSERT INTO history (operation_id, space_id, type, kind, entity_ids, images, is_hidden)
  SELECT current_operation(), space_id, 'TASK', 'UPDATED', array_agg(task_id), array_agg(image), hidden
  FROM (
    SELECT task_id, space_id,
      json_build_object('tags', json_build_object(name, json_agg(tag_id), 'now', coalesce(
        (SELECT json_agg(t.tag_id) FROM task_tags t WHERE t.task_id = entry.task_id AND t.space_id = entry.space_id), '[]'
      )))::text AS image,
      NOT EXISTS (
        SELECT FROM tasks JOIN memberships ON memberships.space_id = tasks.space_id
        WHERE tasks.id = entry.task_id AND memberships.user_id = entry.space_id
      ) AS hidden
    FROM unnest(changed, tags, spaces_of) AS entry (task_id, tag_id, space_id)
    WHERE EXISTS (SELECT FROM spaces WHERE id = entry.space_id)
    GROUP BY task_id, space_id
  ) AS tagged
  GROUP BY space_id, hidden;
END $$;

-- The name of a column's field in GraphQL, as the log has it.
CREATE FUNCTION field_of_column(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT left(words, 1) || substr(replace(initcap(replace(words, '_', ' ')), ' ', ''), 2)
  FROM (SELECT regexp_replace(name, '_id$', '') AS words) AS column_words
$$;
