-- Events are rows beside their cause, for any writer. They end with it.

-- As src/activity/events.ts.
CREATE FUNCTION is_mailed(reason "NotificationReason", mails "ActivityMails") RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT mails = 'ALL' OR mails = 'DIRECT' AND reason <> 'COMMENTED'
$$;

-- Events for the next mails. Events of tasks out of sight stay, but plan no mail: it would be empty.
CREATE FUNCTION mailable_events(users text[]) RETURNS SETOF notification_events LANGUAGE sql STABLE AS $$
  SELECT event.* FROM notification_events AS event JOIN preferences USING (user_id)
  JOIN tasks ON tasks.id = task_id JOIN memberships AS member USING (space_id, user_id)
  WHERE user_id = ANY (users) AND read_at IS NULL AND mailed_at IS NULL AND email_enabled AND is_mailed(reason, activity_mails)
$$;

-- Plans a mail for users with such events and no planned mail. For use under the locks of their related revisions:
-- the end of a mail takes one too, so it reads the events that another transaction writes, or that one sees the end.
CREATE FUNCTION plan_activity_mails(users text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  unplanned text[];
BEGIN
  -- Few users have none. Their unread events may be thousands.
  unplanned := ARRAY(
    SELECT recipient FROM unnest(users) AS recipient
    WHERE NOT EXISTS (SELECT FROM deliveries WHERE user_id = recipient AND kind = 'ACTIVITY' AND status = 'PLANNED')
  );
  IF unplanned = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO deliveries (id, user_id, kind, occurrence, at, next_at, expires_at)
  SELECT id, user_id, 'ACTIVITY', id, at, at, at + interval '1 day'
  FROM (
    -- Events of long ago may be mailable only now, by another preference. The mail has its time to be sent, too.
    SELECT new_id('dlvr') AS id, user_id,
      greatest(min(created_at) + make_interval(secs => (SELECT notification_seconds FROM mail_settings)), clock_timestamp()) AS at
    FROM mailable_events(unplanned) GROUP BY user_id ORDER BY user_id
  ) AS mail
  ON CONFLICT (user_id) WHERE kind = 'ACTIVITY' AND status = 'PLANNED' DO NOTHING;
END $$;

-- The rows are shown to their user alone, whose personal space nobody locks for them. The author of a comment reads the task's
-- events by the same statement, and so comes next.
CREATE FUNCTION plan_mails_of_notified() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users text[] := ARRAY(SELECT DISTINCT user_id FROM changed_rows);
BEGIN
  IF users <> '{}' THEN
    PERFORM raise_related(users, '{}', ARRAY(SELECT DISTINCT actor_id FROM changed_rows WHERE actor_id IS NOT NULL));
    PERFORM plan_activity_mails(users);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_insert AFTER INSERT ON notification_events REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_mails_of_notified();

CREATE FUNCTION raise_revision_of_notified() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users text[];
BEGIN
  IF TG_OP = 'UPDATE' THEN
    -- No user sees `mailed_at`.
    users := ARRAY(
      SELECT DISTINCT n.user_id FROM changed_rows n JOIN old_rows o USING (id)
      WHERE (n.read_at, n.actor_id, n.reason) IS DISTINCT FROM (o.read_at, o.actor_id, o.reason)
    );
  ELSE
    users := ARRAY(SELECT DISTINCT user_id FROM changed_rows);
  END IF;
  PERFORM raise_related(users, '{}');
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON notification_events REFERENCING OLD TABLE AS old_rows NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();
CREATE TRIGGER raise_on_delete AFTER DELETE ON notification_events REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();
CREATE TRIGGER raise_on_insert AFTER INSERT ON task_mutes REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();
CREATE TRIGGER raise_on_delete AFTER DELETE ON task_mutes REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();

-- Of users with unread events that came into sight or left it. These are counted, and mailed, only in sight.
CREATE FUNCTION raise_readers(users text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_related(users, '{}');
  PERFORM plan_activity_mails(users);
END $$;

--   moved: tasks that have left a space
CREATE FUNCTION raise_readers_of_unread(moved text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_readers(
    ARRAY(SELECT DISTINCT user_id FROM notification_events WHERE task_id = ANY (moved) AND read_at IS NULL)
  );
END $$;

CREATE FUNCTION raise_revision_of_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_readers(
    ARRAY(
      SELECT DISTINCT user_id FROM changed_rows AS member WHERE space_id <> user_id AND EXISTS (
        SELECT FROM notification_events AS event JOIN tasks ON tasks.id = task_id
        WHERE event.user_id = member.user_id AND read_at IS NULL AND tasks.space_id = member.space_id
      )
    )
  );
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_insert AFTER INSERT ON memberships REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_member();
CREATE TRIGGER raise_on_delete AFTER DELETE ON memberships REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_member();

-- Of deleted tasks. An array is looked up in the index, whatever the number of rows when the statement was planned. Events are
-- locked in the order of all writers that lock several.
CREATE FUNCTION forget_notifications(tasks text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE id = ANY (ARRAY(
    SELECT id FROM notification_events WHERE task_id = ANY (tasks) ORDER BY id FOR UPDATE
  ));
  -- A restored task has its mutes again.
  DELETE FROM task_mutes WHERE task_id = ANY (tasks) AND NOT keeps_history();
END $$;

CREATE FUNCTION forget_notified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE id = ANY (ARRAY(
    SELECT id FROM notification_events WHERE user_id = OLD.id ORDER BY id FOR UPDATE
  ));
  DELETE FROM task_mutes WHERE user_id = OLD.id;
  UPDATE notification_events SET actor_id = NULL WHERE id = ANY (ARRAY(
    SELECT id FROM notification_events WHERE actor_id = OLD.id ORDER BY id FOR UPDATE
  ));
  RETURN NULL;
END $$;
CREATE TRIGGER forget_notified AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_notified();

-- For any writer, such as an undo. An event that was read stays.
--   tasks_of: tasks that have lost an assignee
CREATE FUNCTION withdraw_assignments(tasks_of text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE id = ANY (ARRAY(
    SELECT id FROM notification_events AS event
    WHERE task_id = ANY (tasks_of) AND reason = 'ASSIGNED' AND read_at IS NULL
      AND user_id <> ALL (ARRAY(SELECT unnest(assignee_ids) FROM tasks WHERE tasks.id = event.task_id))
    ORDER BY id FOR UPDATE
  ));
END $$;

-- As `mentionsIn` of src/comments/input.ts.
CREATE FUNCTION is_mentioned(member text, content text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT content ~ ('@' || member || '(?![0-9A-Za-z_])')
$$;

-- As src/activity/events.ts: the users that a new comment notifies without a mention, and its author.
CREATE FUNCTION readers_of_comments(task text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT user_id FROM tasks JOIN memberships USING (space_id)
  WHERE tasks.id = task
    AND user_id = ANY (assignee_ids || created_by_id || ARRAY(SELECT DISTINCT author_id FROM comments WHERE task_id = task))
    AND NOT EXISTS (SELECT FROM task_mutes WHERE task_id = task AND task_mutes.user_id = memberships.user_id)
$$;

-- One statement with a new comment (src/comments/data.ts), after its locks. A snapshot of its own sees the latest commits of others.
--   mentioned: members, for an edit those whom the text did not mention before. An unread event for the comment gives way
CREATE FUNCTION notify_of_comment(comment text, task text, author text, mentioned text[], is_new boolean)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH read AS (
    UPDATE notification_events SET read_at = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM notification_events WHERE is_new AND user_id = author AND task_id = task AND read_at IS NULL
      ORDER BY id FOR UPDATE
    ))
  ), weaker AS (
    DELETE FROM notification_events WHERE id = ANY (ARRAY(
      SELECT id FROM notification_events
      WHERE NOT is_new AND comment_id = comment AND user_id = ANY (mentioned) AND user_id <> author AND read_at IS NULL
      ORDER BY id FOR UPDATE
    ))
  )
  INSERT INTO notification_events (user_id, task_id, comment_id, reason, actor_id)
  SELECT recipient, task, comment, CASE WHEN recipient = ANY (mentioned) THEN 'MENTIONED' ELSE 'COMMENTED' END::"NotificationReason", author
  FROM (SELECT unnest(mentioned) UNION SELECT readers_of_comments(task) WHERE is_new) AS each (recipient)
  WHERE recipient <> author ORDER BY recipient;
END $$;

CREATE FUNCTION withdraw_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE id = ANY (ARRAY(
    SELECT id FROM notification_events WHERE comment_id = ANY (ARRAY(SELECT id FROM old_rows)) AND read_at IS NULL ORDER BY id FOR UPDATE
  ));
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_comments AFTER DELETE ON comments REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION withdraw_comments();

-- The weaker reason remains, if it applies and was not read.
CREATE FUNCTION withdraw_mentions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH withdrawn AS MATERIALIZED (
    SELECT id, user_id IN (SELECT readers_of_comments(NEW.task_id)) AND NOT EXISTS (
      SELECT FROM notification_events AS other WHERE other.comment_id = NEW.id AND other.user_id = event.user_id AND read_at IS NOT NULL
    ) AS is_reader
    FROM notification_events AS event
    WHERE comment_id = NEW.id AND reason = 'MENTIONED' AND read_at IS NULL AND NOT is_mentioned(user_id, NEW.text)
    ORDER BY id FOR UPDATE
  ), weakened AS (
    UPDATE notification_events AS event SET reason = 'COMMENTED' FROM withdrawn WHERE event.id = withdrawn.id AND is_reader
  )
  DELETE FROM notification_events AS event USING withdrawn WHERE event.id = withdrawn.id AND NOT is_reader;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_mentions AFTER UPDATE ON comments
  FOR EACH ROW WHEN (NEW.text <> OLD.text) EXECUTE FUNCTION withdraw_mentions();
