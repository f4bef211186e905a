import { type Clock, nowOf, type Queryable, runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections } from '../platform/database.ts';
import type { Viewer } from '../platform/context.ts';
import { newId } from '../platform/ids.ts';
import { isMembershipOf } from '../platform/policy.ts';
import type { DigestDays, DigestFacts, DigestRow } from './digests.ts';
import { lastServedDate } from './times.ts';

const { sql } = Prisma;

/**
 * Tasks by due moment, without tasks of other assignees. A task with only a date is overdue once its day has passed, any other task once its time has.
 * @param isOfUser condition on `member`
 * @param limit of each part
 */
function digestTasks(
  isOfUser: Prisma.Sql,
  { now, today, endOfToday, lastDate, endOfLastDate }: DigestDays,
  limit?: number,
): Prisma.Sql {
  const columns = sql`id, project_id, assignee_ids, title, priority, due_date, due_time, sort_key`;
  return sql`/* findDigestTasks */
    WITH due AS (
      SELECT task.*, CASE
          WHEN due_time < ${now}::timestamptz OR due_time IS NULL AND due_date < ${today}::date THEN 'overdue'
          WHEN due_time < ${endOfToday}::timestamptz OR due_time IS NULL AND due_date = ${today}::date THEN 'today'
          ELSE 'upcoming' END AS part
      FROM memberships AS member CROSS JOIN LATERAL (
        SELECT ${columns} FROM tasks
        WHERE space_id = member.space_id AND NOT completed AND due_time < ${endOfLastDate}::timestamptz
        UNION ALL
        SELECT ${columns} FROM tasks
        WHERE space_id = member.space_id AND NOT completed AND due_time IS NULL AND due_date <= ${lastDate}::date
      ) AS task
      WHERE ${isOfUser} AND (assignee_ids = '{}' OR member.user_id = ANY (assignee_ids))
    ), counted AS (
      SELECT *, count(*) OVER (PARTITION BY part)::int AS count,
        row_number() OVER (PARTITION BY part ORDER BY coalesce(due_time, due_date), sort_key, id) AS place
      FROM due
    )
    SELECT counted.id, part, count, title, projects.name AS "projectName", to_char(due_date, 'YYYY-MM-DD') AS "dueDate",
      due_time AS "dueTime", priority
    FROM counted JOIN projects ON projects.id = project_id
    WHERE place <= coalesce(${limit ?? null}::int, 2147483647) ORDER BY part, place`;
}

export const findDigestTasks = (
  connections: Connections,
  userId: string,
  days: DigestDays,
  limit: number,
): Promise<DigestRow[]> => runSql<DigestRow>(connections, digestTasks(sql`member.user_id = ${userId}`, days, limit));

export const findDigestTasksOf = (viewer: Viewer, days: DigestDays, limit?: number): Promise<DigestRow[]> =>
  readOnPrimary<DigestRow>(viewer, digestTasks(isMembershipOf(viewer, 'member'), days, limit));

interface DigestUser extends DigestFacts {
  userId: string;
  email: string;
}

interface FactRow extends Omit<DigestUser, 'planned' | 'lastDate'> {
  /** Newest dates with a digest, up to tomorrow in any time zone. */
  lastDates: string[];
  planned: { id: string; date: string; at: number } | null;
}

export async function findDigestUsers(
  database: Queryable,
  clock: Clock,
  userIds: readonly string[],
): Promise<DigestUser[]> {
  const rows = await runSql<FactRow>(
    database,
    sql`/* findDigestUsers */
      SELECT user_id AS "userId", email, email_enabled AS "emailEnabled", daily_digest AS "dailyDigest",
        digest_time AS "digestTime", time_zone AS "timeZone", ${nowOf(clock)} AS now, ARRAY (
          SELECT occurrence FROM deliveries AS delivery
          WHERE delivery.user_id = preferences.user_id AND kind = 'DIGEST' AND status <> 'PLANNED'
            AND occurrence <= to_char(${nowOf(clock)} AT TIME ZONE 'UTC' + interval '2 days', 'YYYY-MM-DD')
          ORDER BY occurrence DESC LIMIT 3
        ) AS "lastDates", (
          SELECT json_build_object('id', id, 'date', occurrence, 'at', (extract(epoch FROM at) * 1000)::bigint)
          FROM deliveries AS delivery WHERE delivery.user_id = preferences.user_id AND kind = 'DIGEST' AND status = 'PLANNED'
          ORDER BY delivery.at LIMIT 1
        ) AS planned
      FROM preferences JOIN users ON users.id = user_id WHERE user_id = ANY (${[...userIds]})`,
  );
  return rows.map(({ planned, lastDates, ...row }) => ({
    ...row,
    lastDate: lastServedDate(lastDates, row.now, row.timeZone),
    planned: planned && { ...planned, at: new Date(planned.at) },
  }));
}

export const findDigestUser = async (
  connections: Connections,
  clock: Clock,
  userId: string,
): Promise<DigestUser | undefined> => (await findDigestUsers(connections, clock, [userId]))[0];

interface NewDigest {
  userId: string;
  date: string;
  at: Date;
  endsAt: Date;
}

/** Inserts a digest, unless the day has one. */
export const insertDigest = (database: Queryable, { userId, date, at, endsAt }: NewDigest): Promise<unknown> =>
  runSql(
    database,
    sql`/* insertDigest */
      INSERT INTO deliveries (id, user_id, kind, occurrence, at, next_at, expires_at)
      VALUES (${newId('Delivery')}, ${userId}, 'DIGEST', ${date}, ${at}::timestamptz, ${at}::timestamptz, ${endsAt}::timestamptz)
      ON CONFLICT (user_id, kind, occurrence) DO NOTHING`,
  );

/** @returns false if a sender has claimed it */
export async function deleteDigest(tx: Queryable, id: string): Promise<boolean> {
  const rows = await runSql(
    tx,
    sql`/* deleteDigest */ DELETE FROM deliveries WHERE id = ${id} AND status = 'PLANNED' AND attempts = 0 RETURNING id`,
  );
  return rows.length > 0;
}

/** Queues a user's personal space for planning, because their preferences may have changed. */
export const queueSpace = (tx: Queryable, userId: string): Promise<unknown> =>
  runSql(tx, sql`/* queueSpace */ INSERT INTO planning_queue (space_id) VALUES (${userId})`);
