import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { nowOf } from './delivery-data.ts';
import { isPlanned, isRemindedOf, type TaskOfUser } from './reminder-data.ts';

const { sql } = Prisma;

/**
 * What the log has that had not been committed when it was read up to a position, whatever the order in which writers began:
 * a snapshot tells which transactions it saw. @param position pg_snapshot
 */
const beyond = (position: Prisma.Sql) => sql`
  transaction_id >= pg_snapshot_xmin(${position})::text::bigint
  -- A log that was restored has transactions of another history, which are still to come in this one.
  AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, ${position})`;

/** A position of a history that this database no longer has, as it was restored from a backup: it is of transactions to come. */
const isOfOtherHistory = (position: Prisma.Sql) =>
  sql`pg_snapshot_xmax(${position}) > pg_snapshot_xmax(pg_current_snapshot())`;

/** What there is for a planner to do. */
export interface Work {
  /** Whether the log is to be read. */
  log: boolean;
  /** Whether something that was read is to be planned. */
  noted: boolean;
}

/** Of what is noted: it is to be planned now. */
const isReady = sql`coalesce(retry_at <= statement_timestamp(), true)`;

export async function findWork(): Promise<Work> {
  const [work] = await runSql<Work>(
    db,
    sql`/* findPlanWork */
      SELECT EXISTS (SELECT FROM unplanned WHERE ${isReady}) AS noted, position IS NULL OR ${isOfOtherHistory(sql`position`)}
        OR EXISTS (SELECT FROM changes WHERE ${beyond(sql`position`)}) AS log
      FROM planner`,
  );
  return work ?? { log: false, noted: false };
}

/** Seconds since the oldest change that is not planned. */
export async function findPlanLag(): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    db,
    sql`/* findPlanLag */
      SELECT extract(epoch FROM statement_timestamp() - least(
        (SELECT min(at) FROM unplanned), (SELECT min(at) FROM changes WHERE ${beyond(sql`position`)})
      ))::float8 AS lag FROM planner`,
  );
  return Math.max(0, row?.lag ?? 0);
}

/** Where the planner stands. */
export interface Position {
  /** A pg_snapshot; null where everything is to be planned. */
  position: string | null;
}

/** Takes the one place of who plans, until the transaction ends; undefined where another process has it. */
export async function takePlace(tx: Database): Promise<Position | undefined> {
  const [row] = await runSql<Position>(
    tx,
    sql`/* takePlanner */
      SELECT CASE WHEN NOT ${isOfOtherHistory(sql`position`)} THEN position::text END AS position
      FROM planner FOR UPDATE SKIP LOCKED`,
  );
  return row;
}

/** The due moment may be ahead, wherever the user is. */
const mayBeAhead = (now: Prisma.Sql) =>
  sql`(task.due_time > ${now} OR task.due_time IS NULL AND task.due_date > (${now} - interval '2 days')::date)`;

/** Fields of tasks that decide over reminders. */
const decisive = ['dueDate', 'dueTime', 'completed', 'reminder'];

/**
 * Reads what the log has beyond a position, notes what is to be planned for it, and where it has been read to: by one statement, so
 * that all of it is of one snapshot. Most changes, such as those of tasks without a reminder, call for nothing.
 */
export const readLog = (tx: Database, clock: Clock, position: string): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readLogForPlans */
      WITH change AS MATERIALIZED (
        SELECT space_id, type, kind, entity_ids, fields, at FROM changes WHERE ${beyond(sql`${position}::pg_snapshot`)}
      ), entity AS MATERIALIZED (
        SELECT id, space_id, type, min(at) AS at FROM change CROSS JOIN unnest(entity_ids) AS id
        WHERE type IN ('USER', 'WORKSPACE') OR type = 'TASK' AND (kind <> 'UPDATED' OR fields && ${decisive}::text[])
        GROUP BY id, space_id, type
      ), found AS (
        SELECT entity.id AS task_id, '' AS user_id, entity.at, entity.space_id AS source FROM entity
        WHERE type = 'TASK' AND (
          EXISTS (SELECT FROM tasks AS task WHERE task.id = entity.id AND ${isRemindedOf})
          OR EXISTS (SELECT FROM deliveries AS delivery WHERE delivery.task_id = entity.id AND ${isPlanned})
        )
        UNION ALL
        SELECT '', entity.id, entity.at, entity.id FROM entity WHERE type = 'USER'
        UNION ALL
        SELECT task.id, entity.id, entity.at, entity.id FROM entity
        JOIN memberships AS member ON member.user_id = entity.id
        JOIN tasks AS task ON task.space_id = member.space_id AND ${isRemindedOf} AND ${mayBeAhead(nowOf(clock))}
        WHERE type = 'USER'
        UNION ALL
        SELECT delivery.task_id, entity.id, entity.at, entity.id FROM entity
        JOIN deliveries AS delivery ON delivery.user_id = entity.id AND ${isPlanned} WHERE type = 'USER'
        UNION ALL
        -- Of a workspace, what its new members lack, and what is planned for those who have left.
        SELECT task.id, member.user_id, entity.at, entity.space_id FROM entity
        JOIN memberships AS member ON member.space_id = entity.id
        JOIN tasks AS task ON task.space_id = entity.id AND ${isRemindedOf} AND ${mayBeAhead(nowOf(clock))}
        WHERE type = 'WORKSPACE' AND NOT EXISTS (
          SELECT FROM deliveries AS delivery
          WHERE delivery.task_id = task.id AND delivery.user_id = member.user_id AND ${isPlanned}
        )
        UNION ALL
        SELECT delivery.task_id, delivery.user_id, entity.at, entity.space_id FROM entity
        JOIN deliveries AS delivery ON delivery.space_id = entity.id AND ${isPlanned}
        WHERE type = 'WORKSPACE' AND NOT EXISTS (
          SELECT FROM memberships AS member WHERE member.space_id = entity.id AND member.user_id = delivery.user_id
        )
      ), noted AS (
        ${note(sql`SELECT * FROM found`)}
      )
      UPDATE planner SET position = pg_current_snapshot()`,
  );

/** Notes that everything is to be planned, and where the log has been read to. */
export const readEverything = (tx: Database, clock: Clock): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readAllForPlans */
      WITH noted AS (
        ${note(sql`
          SELECT task.id AS task_id, '' AS user_id, statement_timestamp() AS at, task.space_id AS source FROM tasks AS task
          WHERE ${isRemindedOf} AND ${mayBeAhead(nowOf(clock))}
          UNION ALL
          SELECT delivery.task_id, '', statement_timestamp(), delivery.space_id FROM deliveries AS delivery WHERE ${isPlanned}
          UNION ALL
          SELECT '', user_id, statement_timestamp(), user_id FROM preferences WHERE daily_digest`)}
      )
      UPDATE planner SET position = pg_current_snapshot()`,
  );

/** @param found rows of task_id, user_id, at, and source: who has changed much at once comes between others, not before them */
const note = (found: Prisma.Sql) => sql`
  INSERT INTO unplanned (task_id, user_id, at, turn)
  SELECT task_id, user_id, min(at), min(turn) FROM (
    SELECT *, row_number() OVER (PARTITION BY source ORDER BY at) AS turn FROM (${found}) AS found
  ) AS each GROUP BY task_id, user_id
  ON CONFLICT (task_id, user_id) DO NOTHING`;

/** What is to be planned: the reminders of a task, those of one user alone where there is one; where there is no task, a digest. */
export type Unplanned = TaskOfUser;

/** Takes what is to be planned off the notes: what is noted again meanwhile waits for the end of the transaction. */
export const takeUnplanned = (tx: Database, limit: number): Promise<Unplanned[]> =>
  runSql<Unplanned>(
    tx,
    sql`/* takeUnplanned */
      WITH first AS MATERIALIZED (
        SELECT task_id, user_id FROM unplanned WHERE ${isReady} ORDER BY turn, at LIMIT ${limit}
      )
      DELETE FROM unplanned USING first
      WHERE unplanned.task_id = first.task_id AND unplanned.user_id = first.user_id
      RETURNING unplanned.task_id AS "taskId", unplanned.user_id AS "userId"`,
  );

/** Leaves what could not be planned alone for so long. */
export const postponeUnplanned = (tx: Database, { taskId, userId }: Unplanned, seconds: number): Promise<unknown> =>
  runSql(
    tx,
    sql`/* postponeUnplanned */
      UPDATE unplanned SET retry_at = statement_timestamp() + make_interval(secs => ${seconds}::float8)
      WHERE task_id = ${taskId} AND user_id = ${userId}`,
  );
