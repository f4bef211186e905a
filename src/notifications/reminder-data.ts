import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections, Database } from '../platform/database.ts';
import { type ReminderFacts, reminderId, skippedReminders } from './reminders.ts';

const { sql } = Prisma;

/** Condition without SQL's infinities. */
const isPlannable = (moment: Prisma.Sql) => sql`${moment} BETWEEN '0001-02-01' AND '9999-12-01'`;

export const isRemindedOf = sql`(
  task.reminder AND NOT task.completed
  AND (${isPlannable(sql`task.due_time`)} OR task.due_time IS NULL AND ${isPlannable(sql`task.due_date`)})
)`;

/**
 * Due moment. An index sorts open tasks by it. A date without a time counts as 09:00 UTC. In any time zone, that is
 * off by less than {@link zoneSlack}.
 */
export const dueKey = sql`coalesce(task.due_time,
  (least(task.due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC')`;

export const zoneSlack = sql`interval '15 hours'`;

/** A reminder becomes a row so long before its moment. If rows were made at once, each task had one for each member. */
export const aheadSeconds = 2 * 60 * 60;

/** Condition on a `member`: assignees get the reminders of a task. Without assignees, all members with EDITOR do. */
export const isRecipient = sql`
  CASE task.assignee_ids WHEN '{}' THEN member.role >= 'EDITOR' ELSE member.user_id = ANY (task.assignee_ids) END`;

/** Condition of a delivery that is planned and was never claimed. */
export const isUntried = sql`deliveries.status = 'PLANNED' AND deliveries.attempts = 0`;

export interface ReminderPair extends ReminderFacts {
  taskId: string;
  userId: string;
  spaceId: string | null;
  now: Date;
}

/** Columns of {@link FactRow}, of a `pair` of task and user. */
export const factColumns = sql`
  pair.task_id AS "taskId", pair.user_id AS "userId", task.space_id AS "spaceId",
  CASE WHEN task.id IS NOT NULL THEN json_build_object(
    'reminder', task.reminder, 'completed', task.completed, 'createdAt', (extract(epoch FROM task.created_at) * 1000)::bigint,
    'dueDate', CASE WHEN ${isPlannable(sql`task.due_date`)} AND (task.due_time IS NULL OR ${isPlannable(sql`task.due_time`)}) THEN to_char(task.due_date, 'YYYY-MM-DD') END,
    'dueTime', CASE WHEN ${isPlannable(sql`task.due_time`)} THEN (extract(epoch FROM task.due_time) * 1000)::bigint END
  ) END AS task,
  member.user_id IS NOT NULL AS "isMember", coalesce(${isRecipient}, false) AS "isRecipient", coalesce(email_enabled, false) AS "emailEnabled",
  coalesce(task_remainders, false) AS "taskRemainders", coalesce(reminder_before, 0) AS "reminderBefore",
  coalesce(time_zone, 'UTC') AS "timeZone"`;

export const factJoins = sql`
  LEFT JOIN tasks AS task ON task.id = pair.task_id
  LEFT JOIN memberships AS member ON member.space_id = task.space_id AND member.user_id = pair.user_id
  LEFT JOIN preferences ON preferences.user_id = pair.user_id`;

export type Milliseconds = number;

/** Facts as PostgreSQL returns them, with the task as JSON. */
export type FactRow<Facts extends ReminderFacts> = Omit<Facts, 'task'> & {
  task: {
    reminder: boolean;
    completed: boolean;
    createdAt: Milliseconds;
    dueDate: string | null;
    dueTime: Milliseconds | null;
  } | null;
};

export const factsOf = <Facts extends ReminderFacts>({ task, ...row }: FactRow<Facts>) =>
  ({
    ...row,
    task: task && {
      ...task,
      createdAt: new Date(task.createdAt),
      dueTime: task.dueTime === null ? null : new Date(task.dueTime),
    },
  }) as Facts;

export interface ReminderToSend extends ReminderFacts {
  email: string;
  title: string;
  projectName: string;
}

/** Reads the facts of a user's reminders by task. Empty if the user is gone. */
export async function findReminders(
  connections: Connections,
  userId: string,
  taskIds: readonly string[],
): Promise<Map<string, ReminderToSend>> {
  const rows = await runSql<FactRow<ReminderToSend> & { taskId: string }>(
    connections,
    sql`/* findRemindersToSend */
      SELECT ${factColumns}, users.email, coalesce(task.title, '') AS title, coalesce(project.name, '') AS "projectName"
      FROM (SELECT id AS task_id, ${userId}::text AS user_id FROM unnest(${[...taskIds]}::text[]) AS id) AS pair ${factJoins}
      LEFT JOIN projects AS project ON project.id = task.project_id
      JOIN users ON users.id = pair.user_id`,
  );
  return new Map(rows.map((row) => [row.taskId, factsOf<ReminderToSend>(row)]));
}

interface NewReminder {
  userId: string;
  taskId: string;
  spaceId: string;
  occurrence: string;
  dueAt: Date;
  at: Date;
  expiresAt: Date;
}

/**
 * Plans or updates reminders. A sent or failed occurrence is not planned again, but a skipped one is. Other waiting
 * occurrences of the task are skipped, because its due moment has changed.
 */
export async function insertReminders(tx: Database, reminders: readonly NewReminder[]): Promise<void> {
  if (reminders.length === 0) return;
  const rows = reminders.map((each) => ({ ...each, id: reminderId(each.userId, each.occurrence) }));
  await runSql(
    tx,
    sql`/* insertReminders */
      WITH new AS MATERIALIZED (
        SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS new (
          id text, "userId" text, "taskId" text, "spaceId" text, occurrence text, "dueAt" timestamptz, at timestamptz, "expiresAt" timestamptz
        )
      ), moved AS (
        UPDATE deliveries SET status = 'SKIPPED', reason = ${skippedReminders.moved} FROM new
        WHERE task_id = "taskId" AND user_id = "userId" AND deliveries.occurrence <> new.occurrence AND ${isUntried}
      )
      INSERT INTO deliveries (id, user_id, kind, task_id, space_id, occurrence, due_at, at, next_at, expires_at)
      SELECT id, "userId", 'REMINDER', "taskId", "spaceId", occurrence, "dueAt", at, at, "expiresAt" FROM new
      ON CONFLICT (user_id, kind, occurrence) DO UPDATE SET status = 'PLANNED', reason = NULL, at = EXCLUDED.at,
        next_at = EXCLUDED.at, expires_at = EXCLUDED.expires_at, space_id = EXCLUDED.space_id, attempts = 0
      WHERE deliveries.status = 'SKIPPED' OR ${isUntried}`,
  );
  await forgetReminders(tx, reminders);
}

/** Maximum number of reminders of a task and user that are kept and shown. */
export const keptReminders = 20;

/** Deletes the oldest skipped reminders, which tasks with many changes of their due moment leave. */
const forgetReminders = (tx: Database, pairs: readonly Pick<ReminderPair, 'taskId' | 'userId'>[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* forgetReminders */
      DELETE FROM deliveries WHERE id IN (
        SELECT old.id
        FROM jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) AS pair ("taskId" text, "userId" text) CROSS JOIN LATERAL (
          SELECT id FROM deliveries WHERE task_id = "taskId" AND user_id = "userId" AND status = 'SKIPPED'
          ORDER BY at DESC, id DESC OFFSET ${keptReminders}
        ) AS old
      )`,
  );

/** Queues the current spaces of tasks for planning. */
export const queueSpacesOf = (tx: Database, taskIds: readonly string[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueSpacesOf */
      INSERT INTO planning_queue (space_id) SELECT DISTINCT space_id FROM tasks WHERE id = ANY (${[...taskIds]})`,
  );
