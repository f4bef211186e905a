import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { type ReminderFacts, reminderId, skippedReminders } from './reminders.ts';

const { sql } = Prisma;

/** Whether a moment or a day is one that reminders can be planned for, weeks before it and an hour after it: none of SQL's own infinities. */
const isPlannable = (moment: Prisma.Sql) => sql`${moment} BETWEEN '0001-02-01' AND '9999-12-01'`;

/** Tasks that the index of {@link dueKey} has. */
export const isReminded = sql`task.reminder AND NOT task.completed`;

/** Those of them that users are to be reminded of, as far as the task says: they have a {@link dueKey}. */
export const isRemindedOf = sql`(
  ${isReminded}
  AND (${isPlannable(sql`task.due_time`)} OR task.due_time IS NULL AND ${isPlannable(sql`task.due_date`)})
)`;

/** When a task is due; where it has a date alone at 09:00 UTC, less than {@link zoneSlack} from that time anywhere. Null: never. */
export const dueKey = sql`coalesce(task.due_time,
  (least(task.due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC')`;

export const zoneSlack = sql`interval '15 hours'`;

/** Seconds before its moment from which on a reminder is a row: tasks times members are not written long before. */
export const aheadSeconds = 2 * 60 * 60;

/** Of `deliveries`: planned, and neither being sent nor tried before. */
export const isUntried = sql`deliveries.status = 'PLANNED' AND deliveries.attempts = 0`;

/** All that decides over the reminders of a task for a user. */
export interface ReminderPair extends ReminderFacts {
  taskId: string;
  userId: string;
  /** Null: there is no such task any more. */
  spaceId: string | null;
  /** By the clock of plans. */
  now: Date;
}

/** The columns of {@link ReminderFacts}, of a `pair` of task and user. */
export const factColumns = sql`
  pair.task_id AS "taskId", pair.user_id AS "userId", task.space_id AS "spaceId",
  CASE WHEN task.id IS NOT NULL THEN json_build_object(
    'reminder', task.reminder, 'completed', task.completed, 'createdAt', (extract(epoch FROM task.created_at) * 1000)::bigint,
    'dueDate', CASE WHEN ${isPlannable(sql`task.due_date`)} AND (task.due_time IS NULL OR ${isPlannable(sql`task.due_time`)}) THEN to_char(task.due_date, 'YYYY-MM-DD') END,
    'dueTime', CASE WHEN ${isPlannable(sql`task.due_time`)} THEN (extract(epoch FROM task.due_time) * 1000)::bigint END
  ) END AS task,
  member.user_id IS NOT NULL AS "isMember", coalesce(email_enabled, false) AS "emailEnabled",
  coalesce(task_remainders, false) AS "taskRemainders", coalesce(reminder_before, 0) AS "reminderBefore",
  coalesce(time_zone, 'UTC') AS "timeZone"`;

/** Joins to a `pair` of task and user what its facts are of. */
export const factJoins = sql`
  LEFT JOIN tasks AS task ON task.id = pair.task_id
  LEFT JOIN memberships AS member ON member.space_id = task.space_id AND member.user_id = pair.user_id
  LEFT JOIN preferences ON preferences.user_id = pair.user_id`;

export type Milliseconds = number;

/** As PostgreSQL's JSON has it. */
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

/** All that decides over a reminder that is about to be sent, with what the mail tells. */
export interface ReminderToSend extends ReminderFacts {
  email: string;
  title: string;
  projectName: string;
}

/** Finds what decides over a user's reminders of tasks, by task; nothing where the user is gone. */
export async function findReminders(userId: string, taskIds: readonly string[]): Promise<Map<string, ReminderToSend>> {
  const rows = await runSql<FactRow<ReminderToSend> & { taskId: string }>(
    db,
    sql`/* findRemindersToSend */
      SELECT ${factColumns}, users.email, coalesce(task.title, '') AS title, coalesce(project.name, '') AS "projectName"
      FROM (SELECT id AS task_id, ${userId}::text AS user_id FROM unnest(${[...taskIds]}::text[]) AS id) AS pair ${factJoins}
      LEFT JOIN projects AS project ON project.id = task.project_id
      JOIN users ON users.id = pair.user_id`,
  );
  return new Map(rows.map((row) => [row.taskId, factsOf<ReminderToSend>(row)]));
}

export interface NewReminder {
  userId: string;
  taskId: string;
  spaceId: string;
  occurrence: string;
  dueAt: Date;
  at: Date;
  expiresAt: Date;
}

/**
 * Plans reminders, and moves those that wait to their new moment. What was sent, or has failed, of the same occurrence is not planned
 * again; what was skipped is. Other occurrences of a task that wait for the same user are skipped, as it was moved.
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

/** Reminders of a task that are kept for a user, as many as they are shown. */
export const keptReminders = 20;

/** Forgets the oldest reminders of tasks that were never sent, where a task has been moved very often. */
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
