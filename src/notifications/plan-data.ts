import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { hasReminders, isReady, note, noteSpaces } from './unplanned-data.ts';

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
  /** Whether something of it is to be planned whose mail may be due soon. */
  soon: boolean;
  /** Whether something else is. */
  others: boolean;
  /** Whether that has waited for a minute. */
  late: boolean;
}

export async function findWork(): Promise<Work> {
  const [work] = await runSql<Work>(
    db,
    sql`/* findPlanWork */
      SELECT position IS NULL OR ${isOfOtherHistory(sql`position`)}
          OR EXISTS (SELECT FROM changes WHERE ${beyond(sql`position`)}) AS log,
        EXISTS (SELECT FROM unplanned WHERE is_soon AND ${isReady}) AS soon,
        first.turn IS NOT NULL OR EXISTS (SELECT FROM unplanned_spaces) AS others,
        coalesce(first.turn < statement_timestamp() - interval '1 minute', false) AS late
      FROM planner LEFT JOIN (
        SELECT turn FROM unplanned WHERE NOT is_soon AND ${isReady} ORDER BY turn LIMIT 1
      ) AS first ON true`,
  );
  if (work) return work;
  // Somebody has emptied the table.
  await runSql(db, sql`INSERT INTO planner DEFAULT VALUES ON CONFLICT DO NOTHING`);
  return findWork();
}

/** Seconds since the oldest change that is not planned. */
export async function findPlanLag(): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    db,
    sql`/* findPlanLag */
      SELECT extract(epoch FROM statement_timestamp() - least(
        (SELECT min(at) FROM unplanned), (SELECT min(at) FROM unplanned_spaces),
        (SELECT min(at) FROM changes WHERE ${beyond(sql`position`)})
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

/** What of a change decides over mails, where it is an update: fields of tasks, and what `log_whole_spaces` says of users and workspaces. */
const decisive = ['dueDate', 'dueTime', 'completed', 'reminder', 'preferences', 'members'];

/**
 * Reads what the log has beyond a position, notes what is to be planned for it, and where it has been read to: by one statement, so
 * that all of it is of one snapshot. Most changes, such as those of tasks without a reminder, call for nothing.
 */
export const readLog = (tx: Database, clock: Clock, position: string): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readLogForPlans */
      WITH change AS MATERIALIZED (
        SELECT space_id, type, entity_ids, at FROM changes
        WHERE ${beyond(sql`${position}::pg_snapshot`)} AND (kind <> 'UPDATED' OR fields && ${decisive}::text[])
      ), entity AS MATERIALIZED (
        SELECT id, space_id, type, min(at) AS at FROM change CROSS JOIN unnest(entity_ids) AS id
        WHERE type IN ('TASK', 'USER', 'WORKSPACE') GROUP BY id, space_id, type
      ), noted AS (
        ${note(
          clock,
          sql`
            SELECT id AS task_id, '' AS user_id, at, space_id AS source FROM entity
            WHERE type = 'TASK' AND ${hasReminders(sql`entity.id`)}
            UNION ALL
            SELECT '', id, at, id FROM entity WHERE type = 'USER'`,
        )}
      ), noted_spaces AS (
        ${noteSpaces(sql`
          SELECT member.space_id, entity.id AS user_id, entity.at FROM entity
          JOIN memberships AS member ON member.user_id = entity.id WHERE type = 'USER'
          UNION ALL
          SELECT id, '', at FROM entity WHERE type = 'WORKSPACE'`)}
      )
      UPDATE planner SET position = pg_current_snapshot()`,
  );

/** Notes that everything is to be planned, and where the log has been read to. */
export const readEverything = (tx: Database, clock: Clock): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readAllForPlans */
      WITH noted AS (
        ${note(clock, sql`SELECT '' AS task_id, user_id, statement_timestamp() AS at, user_id AS source FROM preferences WHERE daily_digest`)}
      ), noted_spaces AS (
        ${noteSpaces(sql`SELECT id AS space_id, '' AS user_id, statement_timestamp() AS at FROM spaces`)}
      )
      UPDATE planner SET position = pg_current_snapshot()`,
  );
