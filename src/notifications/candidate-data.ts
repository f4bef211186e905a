import { type Clock, nowOf, runSql, seconds } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { isRecent } from '../platform/recent.ts';
import type { Progress } from './planning-queue-data.ts';
import {
  aheadSeconds,
  dueKey,
  isRecipient,
  isRemindedOf,
  isUntried,
  type Milliseconds,
  zoneSlack,
} from './reminder-data.ts';

const { sql } = Prisma;

/** A part of a space's tasks to scan. */
interface TaskPart extends Progress {
  spaceId: string;
  /** Tasks that were due until then are skipped. */
  since: Date;
}

/** A task with a member that may soon need a reminder. */
export interface Candidate {
  spaceId: string;
  taskId: string;
  dueDate: string | null;
  dueTime: Date | null;
  key: Date;
  /** Null if the task has no such member. */
  userId: string | null;
  reminderBefore: number;
  timeZone: string;
  /** Existing reminders of the task for the member. `at` is null once sending was tried. */
  existing: [due: Milliseconds, at: Milliseconds | null][];
  /** Maximum number of tasks that were read in the space. */
  limit: number;
}

/**
 * Reads tasks by due moment.
 * @param limit pairs of tasks and members in each space; at least one task is read
 */
export const findCandidates = (
  tx: Database,
  clock: Clock,
  parts: readonly TaskPart[],
  limit: number,
): Promise<Candidate[]> =>
  runSql<Candidate>(
    tx,
    sql`/* findReminderCandidates */
      WITH part AS MATERIALIZED (
        SELECT "spaceId" AS space_id, since, key AS after_key, "taskId" AS after_id
        FROM jsonb_to_recordset(${JSON.stringify(parts)}::jsonb) AS part ("spaceId" text, since timestamptz, key timestamptz, "taskId" text)
      ), member AS MATERIALIZED (
        SELECT member.space_id, user_id, role, reminder_before, time_zone, ${nowOf(clock)}
            + make_interval(mins => reminder_before) + ${seconds(aheadSeconds)} AS until
        FROM part JOIN memberships AS member USING (space_id) JOIN preferences USING (user_id)
        WHERE email_enabled AND task_remainders
      ), space AS (
        SELECT space_id, max(until) + ${zoneSlack} AS until, greatest(1, ${limit}::int / count(*))::int AS tasks FROM member GROUP BY space_id
      ), task AS MATERIALIZED (
        SELECT task.*, tasks AS limit FROM part JOIN space USING (space_id) CROSS JOIN LATERAL (
          SELECT task.space_id, task.id, assignee_ids, due_date, due_time, ${dueKey} AS key FROM tasks AS task
          WHERE task.space_id = part.space_id AND ${isRemindedOf} AND ${dueKey} <= space.until
            AND (${dueKey}, task.id) > (coalesce(after_key, since - ${zoneSlack}), coalesce(after_id, ''))
          ORDER BY ${dueKey}, task.id LIMIT tasks
        ) AS task
      )
      SELECT task.space_id AS "spaceId", task.id AS "taskId", to_char(due_date, 'YYYY-MM-DD') AS "dueDate", due_time AS "dueTime",
        key, user_id AS "userId", reminder_before AS "reminderBefore", time_zone AS "timeZone", task.limit, (
          SELECT coalesce(json_agg(json_build_array(
            (extract(epoch FROM due_at) * 1000)::bigint, CASE WHEN ${isUntried} THEN (extract(epoch FROM at) * 1000)::bigint END
          )), '[]')
          FROM deliveries WHERE task_id = task.id AND deliveries.user_id = member.user_id AND status <> 'SKIPPED'
        ) AS existing
      FROM task LEFT JOIN member ON member.space_id = task.space_id AND ${isRecipient}
        AND key <= until + CASE WHEN due_time IS NULL THEN ${zoneSlack} ELSE interval '0' END
      ORDER BY task.space_id, key, task.id`,
  );

/** Maximum number of new reminders of a space in an hour. Further ones wait, and are skipped if their task is due first. */
export const remindersAnHour = 10_000;

/** Finds how many more reminders each space may have in this hour. */
export async function findRoom(tx: Database, spaceIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await runSql<{ id: string; count: number }>(
    tx,
    sql`/* findRoomForReminders */
      SELECT space.id, (
        SELECT count(*)::int FROM (
          SELECT FROM deliveries WHERE space_id = space.id AND task_id IS NOT NULL
            AND ${isRecent('created_at', 60 * 60)} LIMIT ${remindersAnHour}
        ) AS recent
      ) AS count
      FROM unnest(${[...spaceIds]}::text[]) AS space (id)`,
  );
  return new Map(rows.map(({ id, count }) => [id, remindersAnHour - count]));
}
