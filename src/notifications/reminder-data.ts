import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { newId } from '../kernel/ids.ts';
import type { Clock } from './clock.ts';
import { nowOf } from './queue-data.ts';
import type { ReminderFacts } from './reminders.ts';

const { sql } = Prisma;

/** Whether a moment or a day is one that reminders can be planned for, weeks before it and an hour after it: none of SQL's own infinities. */
const isPlannable = (moment: Prisma.Sql) => sql`${moment} BETWEEN '0001-02-01' AND '9999-12-01'`;

/** Tasks that users are to be reminded of, as far as the task says. */
export const isRemindedOf = sql`(
  task.reminder AND NOT task.completed
  AND (${isPlannable(sql`task.due_time`)} OR task.due_time IS NULL AND ${isPlannable(sql`task.due_date`)})
)`;

/** Of a `delivery`: a reminder that is to be sent. */
export const isPlanned = sql`delivery.status = 'PLANNED' AND delivery.task_id IS NOT NULL`;

/** A task, and who is to be reminded of it. */
export interface TaskOfUser {
  taskId: string;
  /** Empty: all members of its space. */
  userId: string;
}

const rowsOf = (each: readonly TaskOfUser[]) => sql`
  unnest(${each.map(({ taskId }) => taskId)}::text[], ${each.map(({ userId }) => userId)}::text[])`;

/** A planned reminder that nobody is sending at the moment. */
export interface PlannedReminder {
  id: string;
  /** The task's, when it was planned. */
  spaceId: string;
  dueAt: Date;
  at: Date;
}

/** All that decides over the reminders of a task for a user, and what is planned of them. */
export interface ReminderPair extends ReminderFacts {
  taskId: string;
  userId: string;
  /** Null: there is no such task any more. */
  spaceId: string | null;
  planned: PlannedReminder[];
  /** By the clock of plans. */
  now: Date;
}

/** The columns of {@link ReminderFacts}, of a `pair` of task and user. */
const factColumns = sql`
  pair.task_id AS "taskId", pair.user_id AS "userId", task.space_id AS "spaceId",
  CASE WHEN task.id IS NOT NULL THEN json_build_object(
    'reminder', task.reminder, 'completed', task.completed,
    'dueDate', CASE WHEN ${isPlannable(sql`task.due_date`)} AND (task.due_time IS NULL OR ${isPlannable(sql`task.due_time`)}) THEN to_char(task.due_date, 'YYYY-MM-DD') END,
    'dueTime', CASE WHEN ${isPlannable(sql`task.due_time`)} THEN (extract(epoch FROM task.due_time) * 1000)::bigint END
  ) END AS task,
  member.user_id IS NOT NULL AS "isMember", coalesce(email_enabled, false) AS "emailEnabled",
  coalesce(task_remainders, false) AS "taskRemainders", coalesce(reminder_before, 0) AS "reminderBefore",
  coalesce(time_zone, 'UTC') AS "timeZone"`;

/** Joins to a `pair` of task and user what its facts are of. */
const factJoins = sql`
  LEFT JOIN tasks AS task ON task.id = pair.task_id
  LEFT JOIN memberships AS member ON member.space_id = task.space_id AND member.user_id = pair.user_id
  LEFT JOIN preferences ON preferences.user_id = pair.user_id`;

type Milliseconds = number;

/** As PostgreSQL's JSON has it. */
interface FactRow extends Omit<ReminderPair, 'task' | 'planned'> {
  task: { reminder: boolean; completed: boolean; dueDate: string | null; dueTime: Milliseconds | null } | null;
  planned: { id: string; spaceId: string; dueAt: Milliseconds; at: Milliseconds }[];
}

const pairOf = ({ task, planned, ...row }: FactRow): ReminderPair => ({
  ...row,
  task: task && { ...task, dueTime: task.dueTime === null ? null : new Date(task.dueTime) },
  planned: planned.map(({ dueAt, at, ...each }) => ({ ...each, dueAt: new Date(dueAt), at: new Date(at) })),
});

/** Finds who is to be reminded of tasks, or is planned to be. */
export async function findReminderPairs(
  tx: Database,
  clock: Clock,
  wanted: readonly TaskOfUser[],
): Promise<ReminderPair[]> {
  const rows = await runSql<FactRow>(
    tx,
    sql`/* findReminderPairs */
      WITH wanted AS MATERIALIZED (SELECT * FROM ${rowsOf(wanted)} AS wanted (task_id, user_id)), pair AS MATERIALIZED (
        SELECT task.id AS task_id, member.user_id FROM wanted JOIN tasks AS task ON task.id = wanted.task_id AND ${isRemindedOf}
        JOIN memberships AS member ON member.space_id = task.space_id
        WHERE wanted.user_id IN ('', member.user_id)
        UNION
        SELECT delivery.task_id, delivery.user_id FROM wanted
        JOIN deliveries AS delivery ON delivery.task_id = wanted.task_id AND ${isPlanned}
        WHERE wanted.user_id IN ('', delivery.user_id)
      )
      SELECT ${factColumns}, ${nowOf(clock)} AS now, coalesce((
        SELECT json_agg(json_build_object('id', id, 'spaceId', space_id, 'dueAt', (extract(epoch FROM due_at) * 1000)::bigint,
          'at', (extract(epoch FROM at) * 1000)::bigint))
        FROM deliveries AS delivery
        WHERE delivery.task_id = pair.task_id AND delivery.user_id = pair.user_id AND ${isPlanned}
          AND (leased_until IS NULL OR leased_until <= ${nowOf(clock)})
      ), '[]') AS planned
      FROM pair ${factJoins}`,
  );
  return rows.map(pairOf);
}

/** All that decides over a reminder that is about to be sent, with what the mail tells. */
export interface ReminderToSend extends ReminderFacts {
  email: string;
  title: string;
  projectName: string;
}

export async function findReminder(clock: Clock, taskId: string, userId: string): Promise<ReminderToSend | undefined> {
  type Row = FactRow & Pick<ReminderToSend, 'email' | 'title' | 'projectName'>;
  const [row] = await runSql<Row>(
    db,
    sql`/* findReminder */
      SELECT ${factColumns}, ${nowOf(clock)} AS now, '[]'::json AS planned, users.email, coalesce(task.title, '') AS title,
        coalesce(project.name, '') AS "projectName"
      FROM (SELECT ${taskId}::text AS task_id, ${userId}::text AS user_id) AS pair ${factJoins}
      LEFT JOIN projects AS project ON project.id = task.project_id
      JOIN users ON users.id = pair.user_id`,
  );
  return row && { ...row, ...pairOf(row) };
}

/** A reminder as it is planned. */
export interface NewReminder {
  userId: string;
  taskId: string;
  spaceId: string;
  occurrence: string;
  dueAt: Date;
  at: Date;
  expiresAt: Date;
  /** Why it is not to be sent; null: it is. */
  reason: string | null;
}

/** Plans reminders. What was sent, or has failed, of the same occurrence is not planned again; what was skipped is. */
export async function insertReminders(tx: Database, reminders: readonly NewReminder[]): Promise<number> {
  if (reminders.length === 0) return 0;
  const texts = (of: (reminder: NewReminder) => string | null) => sql`${reminders.map(of)}::text[]`;
  const moments = (of: (reminder: NewReminder) => Date) =>
    sql`${reminders.map((each) => of(each).toISOString())}::timestamptz[]`;
  const rows = await runSql(
    tx,
    sql`/* insertReminders */
      INSERT INTO deliveries (
        id, user_id, kind, task_id, space_id, occurrence, due_at, at, next_at, expires_at, status, reason
      )
      SELECT id, user_id, 'REMINDER', task_id, space_id, occurrence, due_at, at, at, expires_at,
        CASE WHEN reason IS NULL THEN 'PLANNED' ELSE 'SKIPPED' END::"DeliveryStatus", reason
      FROM unnest(
        ${texts(() => newId('Delivery'))}, ${texts((each) => each.userId)}, ${texts((each) => each.taskId)},
        ${texts((each) => each.spaceId)}, ${texts((each) => each.occurrence)}, ${moments((each) => each.dueAt)},
        ${moments((each) => each.at)}, ${moments((each) => each.expiresAt)}, ${texts((each) => each.reason)}
      ) AS new (id, user_id, task_id, space_id, occurrence, due_at, at, expires_at, reason)
      ON CONFLICT (user_id, kind, occurrence) DO UPDATE SET status = 'PLANNED', reason = NULL, at = EXCLUDED.at,
        next_at = EXCLUDED.at, expires_at = EXCLUDED.expires_at, space_id = EXCLUDED.space_id, attempts = 0
      WHERE deliveries.status = 'SKIPPED' AND EXCLUDED.status = 'PLANNED'
      RETURNING id`,
  );
  return rows.length;
}

/** What becomes of a planned reminder: it is for another moment, or of another space, or there is a reason not to send it. */
export type ReminderChange =
  { id: string; at: Date; spaceId: string; reason: null } | { id: string; at: null; spaceId: null; reason: string };

/** Changes planned reminders, but for those that are being sent by now. */
export async function changeReminders(tx: Database, clock: Clock, changes: readonly ReminderChange[]): Promise<void> {
  if (changes.length === 0) return;
  await runSql(
    tx,
    sql`/* changeReminders */
      UPDATE deliveries SET reason = change.reason, at = coalesce(change.at, deliveries.at),
        next_at = coalesce(change.at, next_at), space_id = coalesce(change.space_id, deliveries.space_id),
        status = CASE WHEN change.reason IS NULL THEN 'PLANNED' ELSE 'SKIPPED' END::"DeliveryStatus"
      FROM unnest(
        ${changes.map(({ id }) => id)}::text[], ${changes.map(({ at }) => at?.toISOString() ?? null)}::timestamptz[],
        ${changes.map(({ spaceId }) => spaceId)}::text[], ${changes.map(({ reason }) => reason)}::text[]
      ) AS change (id, at, space_id, reason)
      WHERE deliveries.id = change.id AND status = 'PLANNED'
        AND (leased_until IS NULL OR leased_until <= ${nowOf(clock)})`,
  );
}

/** Reminders of a task that are kept for a user, as many as they are told of. */
export const keptReminders = 20;

/** Forgets the oldest reminders of tasks that were never sent, where a task has been moved very often. */
export const forgetReminders = (tx: Database, pairs: readonly TaskOfUser[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* forgetReminders */
      DELETE FROM deliveries WHERE id IN (
        SELECT old.id FROM ${rowsOf(pairs)} AS pair (task_id, user_id) CROSS JOIN LATERAL (
          SELECT id FROM deliveries AS delivery
          WHERE delivery.task_id = pair.task_id AND delivery.user_id = pair.user_id AND status = 'SKIPPED'
          ORDER BY at DESC, id DESC OFFSET ${keptReminders}
        ) AS old
      )`,
  );
