import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { nowOf } from './queue-data.ts';
import { isPlanned, isRemindedOf, type TaskOfUser } from './reminder-data.ts';

const { empty, sql } = Prisma;

/** What is to be planned: the reminders of a task, those of one user alone where there is one; where there is no task, a digest. */
export type Unplanned = TaskOfUser;

/** Of what is noted: it is to be planned now. */
export const isReady = sql`coalesce(retry_at <= statement_timestamp(), true)`;

/** Whether reminders of a task may have to be planned, or are. @param id of the task @param userId of the user who has them; absent: of any */
export const hasReminders = (id: Prisma.Sql, userId?: Prisma.Sql): Prisma.Sql => sql`(
  EXISTS (SELECT FROM tasks AS task WHERE task.id = ${id} AND ${isRemindedOf})
  OR EXISTS (
    SELECT FROM deliveries AS delivery
    WHERE delivery.task_id = ${id} AND ${isPlanned} ${userId ? sql`AND ${userId} IN ('', delivery.user_id)` : empty}
  )
)`;

/**
 * Whether a mail of what is `found` may be due within the minutes that it may wait for others: a digest, as one is seldom planned, and a
 * reminder whose moment is near, or has passed, and that of the task has not. A day begins at most 14 hours before that of UTC does.
 */
const isSoon = (clock: Clock) => sql`(
  found.task_id = '' OR EXISTS (
    SELECT FROM tasks AS task JOIN memberships AS member ON member.space_id = task.space_id
    JOIN preferences ON preferences.user_id = member.user_id AND email_enabled AND task_remainders
    WHERE task.id = found.task_id AND found.user_id IN ('', member.user_id) AND ${isRemindedOf}
      AND coalesce(due_time, due_date::timestamp AT TIME ZONE 'UTC' - interval '5 hours')
        <= ${nowOf(clock)} + make_interval(mins => reminder_before + 5)
      AND coalesce(due_time, due_date::timestamp AT TIME ZONE 'UTC' + interval '21 hours') > ${nowOf(clock)}
  )
)`;

/** @param found rows of task_id, user_id, at, and source: who has changed much at once comes between others, not before them */
export const note = (clock: Clock, found: Prisma.Sql): Prisma.Sql => sql`
  INSERT INTO unplanned (task_id, user_id, at, turn, is_soon)
  SELECT *, ${isSoon(clock)} FROM (
    SELECT task_id, user_id, min(at), min(turn) FROM (
      SELECT *, at + row_number() OVER (PARTITION BY source ORDER BY at) * interval '1 ms' AS turn FROM (${found}) AS found
    ) AS each GROUP BY task_id, user_id
  ) AS found
  ON CONFLICT (task_id, user_id) DO UPDATE SET is_soon = true WHERE EXCLUDED.is_soon AND NOT unplanned.is_soon`;

/** @param found rows of space_id, user_id, at; what is being looked through is looked through again */
export const noteSpaces = (found: Prisma.Sql): Prisma.Sql => sql`
  INSERT INTO unplanned_spaces (space_id, user_id, at) SELECT space_id, user_id, at FROM (${found}) AS found
  ON CONFLICT (space_id, user_id) DO UPDATE SET turn = DEFAULT, after_created_at = DEFAULT, after_id = DEFAULT`;

/** Spaces that are looked through at once, and tasks of each. */
const [spacesAtOnce, tasksAtOnce] = [20, 200];

/**
 * Looks through the next pages of spaces, and notes tasks that are reminded of, or were to be.
 * @returns whether there was any space to be looked through
 */
export async function scanSpaces(tx: Database, clock: Clock): Promise<boolean> {
  const rows = await runSql(
    tx,
    sql`/* scanSpaces */
      WITH space AS MATERIALIZED (
        SELECT * FROM unplanned_spaces ORDER BY turn, at LIMIT ${spacesAtOnce}
      ), entity AS MATERIALIZED (
        SELECT space.space_id, space.user_id, space.at, task.id, task.created_at,
          row_number() OVER (PARTITION BY space.space_id, space.user_id ORDER BY task.created_at DESC, task.id DESC) AS from_last,
          count(*) OVER (PARTITION BY space.space_id, space.user_id) AS count
        FROM space CROSS JOIN LATERAL (
          SELECT id, created_at FROM tasks
          WHERE tasks.space_id = space.space_id AND (created_at, id) > (after_created_at, after_id)
          ORDER BY created_at, id LIMIT ${tasksAtOnce}
        ) AS task
      ), noted AS (
        ${note(
          clock,
          sql`
            SELECT id AS task_id, user_id, at, space_id || user_id AS source FROM entity
            WHERE ${hasReminders(sql`entity.id`, sql`entity.user_id`)}`,
        )}
      ), last AS (
        SELECT * FROM entity WHERE from_last = 1 AND count = ${tasksAtOnce}
      ), gone_on AS (
        UPDATE unplanned_spaces AS space SET turn = turn + 1, after_created_at = last.created_at, after_id = last.id
        FROM last WHERE space.space_id = last.space_id AND space.user_id = last.user_id
      ), ended AS (
        DELETE FROM unplanned_spaces AS each USING space
        WHERE each.space_id = space.space_id AND each.user_id = space.user_id
          AND NOT EXISTS (SELECT FROM last WHERE last.space_id = space.space_id AND last.user_id = space.user_id)
      )
      SELECT space_id FROM space`,
  );
  return rows.length > 0;
}

/** Members whose reminders are planned at once, over all tasks of a page. */
const membersAtOnce = 2000;

/**
 * Takes what is to be planned off the notes: what is noted again meanwhile waits for the end of the transaction.
 * @param limit of tasks and digests; fewer where tasks have many members
 */
export const takeUnplanned = (tx: Database, limit: number, isSoon: boolean): Promise<Unplanned[]> =>
  runSql<Unplanned>(
    tx,
    sql`/* takeUnplanned */
      WITH first AS MATERIALIZED (
        SELECT task_id, user_id, row_number() OVER (ORDER BY is_soon DESC, turn) AS place FROM unplanned
        WHERE ${isReady} ${isSoon ? sql`AND is_soon` : empty} ORDER BY is_soon DESC, turn LIMIT ${limit}
      ), page AS (
        SELECT *, sum(CASE WHEN user_id <> '' THEN 1 ELSE (
          SELECT count(*) FROM tasks JOIN memberships USING (space_id) WHERE tasks.id = task_id
        ) END) OVER (ORDER BY place) AS members FROM first
      )
      DELETE FROM unplanned USING page
      WHERE unplanned.task_id = page.task_id AND unplanned.user_id = page.user_id
        AND (place = 1 OR members <= ${membersAtOnce})
      RETURNING unplanned.task_id AS "taskId", unplanned.user_id AS "userId"`,
  );

/** Leaves what cannot be planned alone for so long. */
export const postponeUnplanned = (tx: Database, each: readonly Unplanned[], seconds: number): Promise<unknown> =>
  runSql(
    tx,
    sql`/* postponeUnplanned */
      INSERT INTO unplanned (task_id, user_id, at, turn, is_soon, retry_at)
      SELECT task_id, user_id, statement_timestamp(), statement_timestamp(), true, statement_timestamp() + make_interval(secs => ${seconds}::float8)
      FROM unnest(${each.map(({ taskId }) => taskId)}::text[], ${each.map(({ userId }) => userId)}::text[])
        AS postponed (task_id, user_id)
      ON CONFLICT (task_id, user_id) DO UPDATE SET retry_at = EXCLUDED.retry_at`,
  );

/** Locks users as a reference to them does, but for those whom somebody else holds. @returns who was locked */
export async function lockUsers(tx: Database, ids: ReadonlySet<string>): Promise<Set<string>> {
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* lockUsersForPlans */ SELECT id FROM users WHERE id = ANY (${[...ids]}) FOR KEY SHARE SKIP LOCKED`,
  );
  return new Set(rows.map(({ id }) => id));
}
