import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { nowOf, seconds } from './queue-data.ts';
import { aheadSeconds, dueKey, isReminded, zoneSlack } from './reminder-data.ts';

const { sql } = Prisma;

/** Queue entries whose space is due now. */
export const isReady = sql`due_at IS NULL AND coalesce(retry_at <= statement_timestamp(), true)`;

/** Hours from one look at a space that has reminders ahead to the next one, at most. */
const maxHours = 24;

/** Queue entries that are due; one further ahead than any can be was written by a wrong clock. */
export const isDue = (clock: Clock) => sql`
  (due_at <= ${nowOf(clock)} OR due_at > ${nowOf(clock)} + ${seconds((maxHours + 1) * 3600)})`;

/** Spaces whose moment comes at once. */
const dueAtOnce = 1000;

/** Has spaces looked at whose moment has come. */
export const queueDue = (tx: Database, clock: Clock): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueDueSpaces */
      UPDATE planning_queue SET at = statement_timestamp(), due_at = NULL, since = least(due_at, ${nowOf(clock)})
      WHERE id IN (SELECT id FROM planning_queue WHERE ${isDue(clock)} ORDER BY due_at LIMIT ${dueAtOnce})`,
  );

/** How far a look at a space has come. */
export interface Progress {
  /** The last task that it has seen, by when tasks are due; null: it begins. */
  key: Date | null;
  taskId: string | null;
}

export interface Look {
  spaceId: string;
  /** When something was changed. */
  at: Date;
  /** What was due by then was due before it could be planned. */
  since: Date;
  /** By the clock of plans. */
  now: Date;
  progress: Progress;
  /** Whether another look follows. */
  isAskedAgain: boolean;
}

/** Takes the next spaces off the queue: those first that have waited longest for their turn. */
export async function takeLooks(tx: Database, clock: Clock, limit: number): Promise<Look[]> {
  const rows = await runSql<Omit<Look, 'progress'> & Progress>(
    tx,
    sql`/* takeLooks */
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
        bool_or(is_asked_again) OR bool_or(is_begun) AND bool_or(due_at IS NULL AND NOT is_begun) AS "isAskedAgain"
      FROM taken GROUP BY space_id ORDER BY min(turn)`,
  );
  return rows.map(({ key, taskId, ...look }) => ({ ...look, progress: { key, taskId } }));
}

export interface Queued extends Partial<Progress> {
  spaceId: string;
  at: Date;
  since: Date;
  isAskedAgain?: boolean;
  /** After which it is looked at; absent: at once. */
  retrySeconds?: number;
}

/** Queues looks that continue, or come again. */
export const queueLooks = (tx: Database, looks: readonly Queued[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueLooks */
      INSERT INTO planning_queue (space_id, at, since, after_key, after_task_id, is_asked_again, retry_at)
      SELECT "spaceId", at, since, key, "taskId", coalesce("isAskedAgain", false), statement_timestamp() + make_interval(secs => "retrySeconds")
      FROM jsonb_to_recordset(${JSON.stringify(looks)}::jsonb) AS look (
        "spaceId" text, at timestamptz, since timestamptz, key timestamptz, "taskId" text, "isAskedAgain" boolean, "retrySeconds" float8
      )`,
  );

/**
 * Queues the next look at spaces that have been looked at, in time before their next reminder: for the case that nothing changes until
 * then. There is none where no reminders are ahead.
 */
export const queueNextLooks = (tx: Database, clock: Clock, spaceIds: readonly string[]): Promise<unknown> =>
  runSql(
    tx,
    sql`/* queueNextLooks */
      INSERT INTO planning_queue (space_id, due_at)
      SELECT space.id, ${nowOf(clock)} + greatest(
        ${seconds(aheadSeconds / 2)},
        least(
          task.key - ${zoneSlack} - make_interval(mins => longest) - ${seconds(aheadSeconds / 2)} - ${nowOf(clock)},
          ${seconds(maxHours * 3600)}
        )
      )
      FROM unnest(${[...spaceIds]}::text[]) AS space (id) CROSS JOIN LATERAL (
        SELECT max(reminder_before) AS longest FROM memberships AS member JOIN preferences USING (user_id)
        WHERE member.space_id = space.id AND email_enabled AND task_remainders
      ) AS member CROSS JOIN LATERAL (
        SELECT ${dueKey} AS key FROM tasks AS task
        WHERE task.space_id = space.id AND ${isReminded} AND ${dueKey} > ${nowOf(clock)} - ${zoneSlack} ORDER BY ${dueKey} LIMIT 1
      ) AS task
      WHERE longest IS NOT NULL`,
  );

/** Locks users as a reference to them does, but for those whom somebody else holds. @returns who was locked */
export async function lockUsers(tx: Database, ids: ReadonlySet<string>): Promise<Set<string>> {
  if (ids.size === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* lockUsersForPlans */ SELECT id FROM users WHERE id = ANY (${[...ids]}) FOR KEY SHARE SKIP LOCKED`,
  );
  return new Set(rows.map(({ id }) => id));
}
