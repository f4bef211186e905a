import { type Queryable, runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import type { ActivityTask } from './mails/activity-mail.ts';

const { sql } = Prisma;

/** The content of a mail about activity. */
interface Activity {
  email: string;
  isOff: boolean;
  /** Ids of all events. The mail only counts some. */
  reported: string[];
  taskCount: number;
  /** The first tasks, with the newest event first. */
  tasks: (ActivityTask & { id: string })[];
}

/** Code points of a comment that are read: a mention is longer than its name. */
const readLength = 2000;

const beginning = sql`left(comment.text, ${readLength}::int) || CASE WHEN char_length(comment.text) > ${readLength}::int THEN '…' ELSE '' END`;

const nameOf = (user: string) => Prisma.raw(`coalesce(${user}.name, ${user}.email)`);

/** Reads the unread events that no mail has reported. Undefined if the user is gone. */
export async function findActivity(
  connections: Connections,
  userId: string,
  limits: { tasks: number; comments: number },
): Promise<Activity | undefined> {
  const [row] = await runSql<Activity>(
    connections,
    sql`/* findActivity */
      WITH event AS MATERIALIZED (
        SELECT event.*, task.space_id, task.title, project.name AS project_name
        FROM mailable_events(ARRAY[${userId}]) AS event
        JOIN tasks AS task ON task.id = event.task_id
        JOIN projects AS project ON project.id = task.project_id
      ), each AS (
        SELECT task_id, space_id, title, project_name, max(created_at) AS at, count(comment_id)::int AS comments,
          count(*) FILTER (WHERE reason = 'ASSIGNED') > 0 AS is_assigned,
          (array_agg(actor_id ORDER BY created_at DESC) FILTER (WHERE reason = 'ASSIGNED'))[1] AS assigned_by
        FROM event GROUP BY task_id, space_id, title, project_name
      )
      SELECT users.email, NOT email_enabled OR activity_mails = 'NONE' AS "isOff",
        ARRAY(SELECT id::text FROM event) AS reported, (SELECT count(*)::int FROM each) AS "taskCount",
        (SELECT coalesce(json_agg(json_build_object('id', task_id, 'title', title, 'projectName', project_name, 'isAssigned', is_assigned,
          'assignedBy', (SELECT ${nameOf('actor')} FROM users AS actor WHERE id = assigned_by),
          'commentCount', comments,
          'comments', (SELECT coalesce(json_agg(json_build_object('author', author, 'text', text, 'names', names) ORDER BY created_at, id), '[]') FROM (
            SELECT comment.id, comment.created_at, ${nameOf('author')} AS author, ${beginning} AS text, (
              SELECT coalesce(json_object_agg(named.id, ${nameOf('named')}), '{}')
              FROM memberships AS member JOIN users AS named ON named.id = member.user_id
              WHERE member.space_id = first.space_id AND position('@' || named.id IN comment.text) > 0
            ) AS names
            FROM event JOIN comments AS comment ON comment.id = event.comment_id
            LEFT JOIN users AS author ON author.id = comment.author_id
            WHERE event.task_id = first.task_id
            ORDER BY comment.created_at DESC, comment.id DESC LIMIT ${limits.comments}
          ) AS shown)
        ) ORDER BY at DESC), '[]') FROM (SELECT * FROM each ORDER BY at DESC LIMIT ${limits.tasks}) AS first) AS tasks
      FROM users JOIN preferences ON user_id = users.id WHERE users.id = ${userId}`,
  );
  return row;
}

/** @param reported undefined: all events, which no later mail reports */
export const noteMailed = (tx: Queryable, userId: string, reported: readonly string[] | undefined): Promise<unknown> =>
  runSql(
    tx,
    sql`/* noteMailed */
      WITH mailed AS MATERIALIZED (
        SELECT id FROM notification_events
        WHERE user_id = ${userId} AND read_at IS NULL AND mailed_at IS NULL
          AND ${reported ? sql`id = ANY (${[...reported]}::bigint[])` : sql`true`}
        ORDER BY id FOR UPDATE
      )
      UPDATE notification_events AS event SET mailed_at = statement_timestamp() FROM mailed WHERE event.id = mailed.id`,
  );

/** Plans a mail about further events. */
export const planActivity = (tx: Queryable, userId: string): Promise<unknown> =>
  runSql(
    tx,
    sql`/* planActivity */
      WITH locked AS MATERIALIZED (SELECT FROM related_revisions WHERE space_id = ${userId} FOR NO KEY UPDATE)
      SELECT FROM locked, plan_activity_mails(ARRAY[${userId}])`,
  );
