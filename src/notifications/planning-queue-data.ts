import { type Clock, nowOf, runSql, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { aheadSeconds, dueKey, zoneSlack } from './reminder-data.ts';

const { sql } = Prisma;

export const isReady = sql`due_at IS NULL AND coalesce(retry_at <= statement_timestamp(), true)`;

/** Maximum time between scans of a space with future reminders. */
const maxHours = 24;

/** Entries beyond the maximum were written with a wrong clock, and count as due. */
export const isDue = (clock: Clock) => sql`
  (due_at <= ${nowOf(clock)} OR due_at > ${nowOf(clock)} + ${seconds((maxHours + 1) * 3600)})`;

const dueAtOnce = 1000;

export const queueDue = (tx: Database, clock: Clock): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueDueSpaces */
      UPDATE planning_queue SET at = statement_timestamp(), due_at = NULL, since = least(due_at, ${nowOf(clock)})
      WHERE id IN (SELECT id FROM planning_queue WHERE ${isDue(clock)} ORDER BY due_at LIMIT ${dueAtOnce})`,
  );

export interface Progress {
  /** Last scanned task, by due moment. Null at the start. */
  key: Date | null;
  taskId: string | null;
}

export interface Scan {
  spaceId: string;
  /** Time of the change. */
  at: Date;
  /** Earlier due moments get no reminder: they passed before planning. */
  since: Date;
  now: Date;
  progress: Progress;
  /** Whether the space changed during the scan. */
  needsRescan: boolean;
}

/** Takes scans from the queue. The spaces that have waited longest come first. */
export async function takeScans(tx: Database, clock: Clock, limit: number): Promise<Scan[]> {
  const rows = await runSql<Omit<Scan, 'progress'> & Progress>(
    tx,
    sql`/* takeScans */
      WITH space AS MATERIALIZED (
        SELECT space_id, min(id) AS turn FROM (
          SELECT id, space_id FROM planning_queue WHERE ${isReady} ORDER BY id LIMIT ${limit * 4}
        ) AS first GROUP BY space_id ORDER BY turn LIMIT ${limit}
      ), taken AS (
        DELETE FROM planning_queue AS each USING space
        WHERE each.space_id = space.space_id AND (due_at IS NOT NULL OR ${isReady})
        RETURNING each.*, turn, after_task_id IS NOT NULL AS is_begun
      )
      SELECT space_id AS "spaceId", min(at) FILTER (WHERE due_at IS NULL) AS at,
        greatest(least(min(since), ${nowOf(clock)}), ${nowOf(clock)} - interval '1 hour') AS since, ${nowOf(clock)} AS now,
        max(after_key) AS key, max(after_task_id) AS "taskId",
        bool_or(is_asked_again) OR bool_or(is_begun) AND bool_or(due_at IS NULL AND NOT is_begun) AS "needsRescan"
      FROM taken GROUP BY space_id ORDER BY min(turn)`,
  );
  return rows.map(({ key, taskId, ...scan }) => ({ ...scan, progress: { key, taskId } }));
}

export interface QueuedScan extends Partial<Progress> {
  spaceId: string;
  at: Date;
  since: Date;
  needsRescan?: boolean;
  retrySeconds?: number;
}

export const queueScans = (tx: Database, scans: readonly QueuedScan[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueScans */
      INSERT INTO planning_queue (space_id, at, since, after_key, after_task_id, is_asked_again, retry_at)
      SELECT "spaceId", at, since, key, "taskId", coalesce("needsRescan", false), statement_timestamp() + make_interval(secs => "retrySeconds")
      FROM jsonb_to_recordset(${JSON.stringify(scans)}::jsonb) AS scan (
        "spaceId" text, at timestamptz, since timestamptz, key timestamptz, "taskId" text, "needsRescan" boolean, "retrySeconds" float8
      )`,
  );

/**
 * Schedules a scan for the next reminder, in case nothing changes until then. For tasks that are due after the longest
 * time between scans, any open one counts, because the index does not tell which have a reminder.
 */
export const scheduleScans = (tx: Database, clock: Clock, spaceIds: readonly string[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* scheduleScans */
      INSERT INTO planning_queue (space_id, due_at)
      SELECT space.id, greatest(
        ${nowOf(clock)} + ${seconds(aheadSeconds / 2)},
        least(task.key - ahead, ${nowOf(clock)} + ${seconds(maxHours * 3600)})
      )
      FROM unnest(${[...spaceIds]}::text[]) AS space (id) CROSS JOIN LATERAL (
        SELECT make_interval(mins => max(reminder_before)) + ${zoneSlack} + ${seconds(aheadSeconds / 2)} AS ahead
        FROM memberships AS member JOIN preferences USING (user_id)
        WHERE member.space_id = space.id AND email_enabled AND task_remainders
      ) AS member CROSS JOIN LATERAL (
        SELECT ${dueKey} AS key FROM tasks AS task
        WHERE task.space_id = space.id AND NOT task.completed AND ${dueKey} > ${nowOf(clock)} - ${zoneSlack}
          AND (task.reminder OR ${dueKey} > ${nowOf(clock)} + ahead + ${seconds(maxHours * 3600)})
        ORDER BY ${dueKey} LIMIT 1
      ) AS task
      WHERE ahead IS NOT NULL`,
  );

/**
 * Locks users like a foreign key, without waiting.
 * @returns by id, false if another transaction has locked the user, for example to delete it. Deleted users are absent
 */
export async function lockUsers(tx: Database, ids: ReadonlySet<string>): Promise<Map<string, boolean>> {
  if (ids.size === 0) return new Map();
  const rows = await runSql<{ id: string; isLocked: boolean }>(
    tx,
    sql`/* lockUsersForPlans */
      WITH locked AS MATERIALIZED (SELECT id FROM users WHERE id = ANY (${[...ids]}) FOR KEY SHARE SKIP LOCKED)
      SELECT id, id IN (SELECT id FROM locked) AS "isLocked" FROM users WHERE id = ANY (${[...ids]})`,
  );
  return new Map(rows.map(({ id, isLocked }) => [id, isLocked]));
}
