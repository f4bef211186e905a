import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { nowOf } from './queue-data.ts';
import { type ReminderFacts, reminderId } from './reminders.ts';

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

/** Of a `delivery`: a reminder that is to be sent. */
export const isPlanned = sql`delivery.status = 'PLANNED' AND delivery.task_id IS NOT NULL`;

/** When a task is due; where it has a date alone at 09:00 UTC, less than {@link zoneSlack} from that time anywhere. Null: never. */
export const dueKey = sql`coalesce(task.due_time,
  (least(task.due_date, '9999-12-31'::date)::timestamp + interval '9 hours') AT TIME ZONE 'UTC')`;

export const zoneSlack = sql`interval '15 hours'`;

/** Seconds before its moment from which on a reminder is a row: tasks times members are not written long before. */
export const aheadSeconds = 2 * 60 * 60;

export interface PlannedReminder {
  id: string;
  dueAt: Date;
  at: Date;
  /** Whether it is being sent. */
  isLeased: boolean;
}

/** All that decides over the reminders of a task for a user. */
export interface ReminderPair extends ReminderFacts {
  taskId: string;
  userId: string;
  /** Null: there is no such task any more. */
  spaceId: string | null;
  /** By the clock of plans. */
  now: Date;
}

/** The same, with a reminder that is planned. */
export interface PlannedPair extends ReminderPair {
  /** In whose space it was planned. */
  source: string;
  planned: PlannedReminder;
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

/** The next part of what a look at a space goes through. */
export interface Part {
  spaceId: string;
  /** The last one of the part before. */
  after: string;
}

/** Reads the next planned reminders of spaces, with all that decides over them. @param limit of each space */
export async function findPlanned(
  tx: Database,
  clock: Clock,
  parts: readonly Part[],
  limit: number,
): Promise<PlannedPair[]> {
  if (parts.length === 0) return [];
  const rows = await runSql<FactRow<Omit<PlannedPair, 'planned'>> & PlannedReminder>(
    tx,
    sql`/* findPlannedReminders */
      SELECT ${factColumns}, ${nowOf(clock)} AS now, pair.space_id AS source, pair.id,
        pair.due_at AS "dueAt", pair.at, coalesce(pair.leased_until > ${nowOf(clock)}, false) AS "isLeased"
      FROM unnest(${parts.map(({ spaceId }) => spaceId)}::text[], ${parts.map(({ after }) => after)}::text[]) AS part (space_id, after)
      CROSS JOIN LATERAL (
        SELECT * FROM deliveries AS delivery
        WHERE delivery.space_id = part.space_id AND ${isPlanned} AND delivery.id > part.after ORDER BY delivery.id LIMIT ${limit}
      ) AS pair ${factJoins}
      ORDER BY pair.space_id, pair.id`,
  );
  return rows.map(({ id, dueAt, at, isLeased, ...row }) => ({
    ...factsOf(row as FactRow<Omit<PlannedPair, 'planned'>>),
    planned: { id, dueAt, at, isLeased },
  }));
}

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

/** Plans reminders. What was sent, or has failed, of the same occurrence is not planned again; what was skipped is. */
export async function insertReminders(tx: Database, reminders: readonly NewReminder[]): Promise<number> {
  if (reminders.length === 0) return 0;
  const texts = (of: (reminder: NewReminder) => string) => sql`${reminders.map(of)}::text[]`;
  const moments = (of: (reminder: NewReminder) => Date) =>
    sql`${reminders.map((each) => of(each).toISOString())}::timestamptz[]`;
  const rows = await runSql(
    tx,
    sql`/* insertReminders */
      INSERT INTO deliveries (
        id, user_id, kind, task_id, space_id, occurrence, due_at, at, next_at, expires_at
      )
      SELECT id, user_id, 'REMINDER', task_id, space_id, occurrence, due_at, at, at, expires_at
      FROM unnest(
        ${texts(({ userId, occurrence }) => reminderId(userId, occurrence))}, ${texts((each) => each.userId)}, ${texts((each) => each.taskId)},
        ${texts((each) => each.spaceId)}, ${texts((each) => each.occurrence)}, ${moments((each) => each.dueAt)},
        ${moments((each) => each.at)}, ${moments((each) => each.expiresAt)}
      ) AS new (id, user_id, task_id, space_id, occurrence, due_at, at, expires_at)
      ON CONFLICT (user_id, kind, occurrence) DO UPDATE SET status = 'PLANNED', reason = NULL, at = EXCLUDED.at,
        next_at = EXCLUDED.at, expires_at = EXCLUDED.expires_at, space_id = EXCLUDED.space_id, attempts = 0
      WHERE deliveries.status = 'SKIPPED'
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

/** Reminders of a task that are kept for a user, as many as they are shown. */
export const keptReminders = 20;

/** Forgets the oldest reminders of tasks that were never sent, where a task has been moved very often. */
export async function forgetReminders(
  tx: Database,
  pairs: readonly Pick<ReminderPair, 'taskId' | 'userId'>[],
): Promise<void> {
  if (pairs.length === 0) return;
  await runSql(
    tx,
    sql`/* forgetReminders */
      DELETE FROM deliveries WHERE id IN (
        SELECT old.id
        FROM unnest(${pairs.map(({ taskId }) => taskId)}::text[], ${pairs.map(({ userId }) => userId)}::text[]) AS pair (task_id, user_id) CROSS JOIN LATERAL (
          SELECT id FROM deliveries AS delivery
          WHERE delivery.task_id = pair.task_id AND delivery.user_id = pair.user_id AND status = 'SKIPPED'
          ORDER BY at DESC, id DESC OFFSET ${keptReminders}
        ) AS old
      )`,
  );
}
