-- Events are rows beside their cause, for any writer. They end with it.

-- As src/activity/events.ts.
CREATE FUNCTION is_mailed(reason "NotificationReason", mails "ActivityMails") RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT mails = 'ALL' OR mails = 'DIRECT' AND reason <> 'COMMENTED'
$$;

-- What the next mails report. Events of tasks out of sight stay, but plan no mail, which would have nothing to report.
CREATE FUNCTION mailable_events(users text[]) RETURNS SETOF notification_events LANGUAGE sql STABLE AS $$
  SELECT event.* FROM notification_events AS event JOIN preferences USING (user_id)
  JOIN tasks ON tasks.id = task_id JOIN memberships AS member USING (space_id, user_id)
  WHERE user_id = ANY (users) AND read_at IS NULL AND mailed_at IS NULL AND email_enabled AND is_mailed(reason, activity_mails)
$$;

-- Plans the mail of users who have something to report and no planned mail. The lock of a planned one lasts until the commit: its
-- sender either reads the new events, or waits at its end, and plans the next mail.
CREATE FUNCTION plan_activity_mails(users text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  unplanned text[];
BEGIN
  PERFORM FROM deliveries WHERE user_id = ANY (users) AND kind = 'ACTIVITY' AND status = 'PLANNED' ORDER BY user_id FOR SHARE;
  -- Few users have none. Their unread events may be thousands.
  unplanned := ARRAY(
    SELECT told FROM unnest(users) AS told
    WHERE NOT EXISTS (SELECT FROM deliveries WHERE user_id = told AND kind = 'ACTIVITY' AND status = 'PLANNED')
  );
  IF unplanned = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO deliveries (id, user_id, kind, occurrence, at, next_at, expires_at)
  SELECT id, user_id, 'ACTIVITY', id, at, at, at + interval '1 day'
  FROM (
    SELECT new_id('dlvr') AS id, user_id, min(created_at) + make_interval(secs => (SELECT notification_seconds FROM mail_settings)) AS at
    FROM mailable_events(unplanned) GROUP BY user_id ORDER BY user_id
  ) AS mail
  ON CONFLICT (user_id) WHERE kind = 'ACTIVITY' AND status = 'PLANNED' DO NOTHING;
END $$;

CREATE FUNCTION plan_mails_of_notified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM plan_activity_mails(ARRAY(SELECT DISTINCT user_id FROM changed_rows));
  RETURN NULL;
END $$;
CREATE TRIGGER plan_on_insert AFTER INSERT ON notification_events REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION plan_mails_of_notified();

-- The rows are shown to their user alone, whose personal space nobody locks for them. Fires after plan_on_insert: related revisions
-- are the last locks.
CREATE FUNCTION raise_revision_of_notified() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users text[] := ARRAY(SELECT DISTINCT user_id FROM changed_rows);
BEGIN
  IF users <> '{}' THEN
    PERFORM raise_related(users, '{}');
  END IF;
  RETURN NULL;
END $$;
-- The author of a comment reads the task's events by the same statement, and so comes next.
CREATE FUNCTION raise_revision_of_newly_notified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM raise_related(array_agg(user_id), '{}', array_remove(array_agg(actor_id), NULL))
  FROM (SELECT DISTINCT user_id, actor_id FROM changed_rows) AS told HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_insert AFTER INSERT ON notification_events REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_newly_notified();
CREATE TRIGGER raise_on_delete AFTER DELETE ON notification_events REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();
CREATE TRIGGER raise_on_insert AFTER INSERT ON task_mutes REFERENCING NEW TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();
CREATE TRIGGER raise_on_delete AFTER DELETE ON task_mutes REFERENCING OLD TABLE AS changed_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_notified();

-- No user sees `mailed_at`.
CREATE FUNCTION raise_revision_of_readers() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  users text[] := ARRAY(
    SELECT DISTINCT n.user_id FROM new_rows n JOIN old_rows o USING (id)
    WHERE (n.read_at, n.actor_id) IS DISTINCT FROM (o.read_at, o.actor_id)
  );
BEGIN
  IF users <> '{}' THEN
    PERFORM raise_related(users, '{}');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER raise_on_update AFTER UPDATE ON notification_events REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION raise_revision_of_readers();

-- Of deleted tasks. An array is looked up in the index, whatever the number of rows when the statement was planned.
CREATE FUNCTION forget_notifications(tasks text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE task_id = ANY (tasks);
  DELETE FROM task_mutes WHERE task_id = ANY (tasks);
END $$;

CREATE FUNCTION forget_notified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE user_id = OLD.id;
  DELETE FROM task_mutes WHERE user_id = OLD.id;
  UPDATE notification_events SET actor_id = NULL WHERE actor_id = OLD.id;
  RETURN NULL;
END $$;
CREATE TRIGGER forget_notified AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION forget_notified();

-- For any writer, such as an undo. An event that was read stays.
CREATE FUNCTION withdraw_assignments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events
  WHERE task_id = NEW.id AND user_id = ANY (OLD.assignee_ids) AND user_id <> ALL (NEW.assignee_ids)
    AND reason = 'ASSIGNED' AND read_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_assignments AFTER UPDATE ON tasks
  FOR EACH ROW WHEN (NOT OLD.assignee_ids <@ NEW.assignee_ids) EXECUTE FUNCTION withdraw_assignments();

-- One statement with the comment (src/comments/data.ts), after its locks. A snapshot of its own sees what others have just written.
-- See src/activity/events.ts.
CREATE FUNCTION notify_of_comment(comment text, task text, author text, mentioned text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH read AS (
    UPDATE notification_events SET read_at = clock_timestamp() WHERE id = ANY (ARRAY(
      SELECT id FROM notification_events WHERE user_id = author AND task_id = task AND read_at IS NULL ORDER BY id FOR UPDATE
    ))
  )
  INSERT INTO notification_events (user_id, task_id, comment_id, reason, actor_id)
  SELECT DISTINCT ON (told.user_id) told.user_id, task, comment, reason, author
  FROM (
    SELECT unnest(mentioned) AS user_id, 'MENTIONED'::"NotificationReason" AS reason
    UNION ALL SELECT unnest(assignee_ids || created_by_id), 'COMMENTED' FROM tasks WHERE id = task
    UNION ALL SELECT author_id, 'COMMENTED' FROM comments WHERE task_id = task
  ) AS told
  JOIN tasks ON tasks.id = task
  JOIN memberships AS member ON member.space_id = tasks.space_id AND member.user_id = told.user_id
  WHERE told.user_id <> author AND (
    reason = 'MENTIONED' OR NOT EXISTS (SELECT FROM task_mutes WHERE task_mutes.task_id = task AND task_mutes.user_id = told.user_id)
  )
  ORDER BY told.user_id, reason;
END $$;

CREATE FUNCTION withdraw_comments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events WHERE comment_id = ANY (ARRAY(SELECT id FROM old_rows)) AND read_at IS NULL;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_comments AFTER DELETE ON comments REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION withdraw_comments();

CREATE FUNCTION withdraw_mentions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM notification_events
  WHERE comment_id = NEW.id AND reason = 'MENTIONED' AND read_at IS NULL AND position('@' || user_id IN NEW.text) = 0;
  RETURN NULL;
END $$;
CREATE TRIGGER withdraw_mentions AFTER UPDATE ON comments
  FOR EACH ROW WHEN (NEW.text <> OLD.text) EXECUTE FUNCTION withdraw_mentions();
