import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Connections, Database } from '../platform/database.ts';
import type { Clock } from './clock.ts';
import { isDue, isReady } from './planning-queue-data.ts';
import { isRemindedOf } from './reminder-data.ts';

const { sql } = Prisma;

/**
 * Condition of changes that were committed after a position, even if their writers began before it.
 * @param position pg_snapshot
 */
const beyond = (position: Prisma.Sql) => sql`
  transaction_id >= pg_snapshot_xmin(${position})::text::bigint
  -- A restored log has transactions of another history, whose ids lie ahead in this one.
  AND transaction_id < pg_snapshot_xmax(pg_current_snapshot())::text::bigint
  AND NOT pg_visible_in_snapshot(transaction_id::text::xid8, ${position})`;

/** Condition that a restore has replaced the history: the position refers to future transactions. */
const isOfOtherHistory = (position: Prisma.Sql) =>
  sql`pg_snapshot_xmax(${position}) > pg_snapshot_xmax(pg_current_snapshot())`;

export interface Work {
  log: boolean;
  queue: boolean;
}

export async function findWork(connections: Connections, clock: Clock): Promise<Work> {
  const [work] = await runSql<Work>(
    connections,
    sql`/* findPlanWork */
      SELECT position IS NULL OR target IS NOT NULL OR ${isOfOtherHistory(sql`position`)}
          OR EXISTS (SELECT FROM changes WHERE ${beyond(sql`position`)}) AS log,
        EXISTS (SELECT FROM planning_queue WHERE ${isReady}) OR EXISTS (SELECT FROM planning_queue WHERE ${isDue(clock)}) AS queue
      FROM planner`,
  );
  if (work) return work;
  // The table was emptied by hand.
  await runSql(connections, sql`INSERT INTO planner DEFAULT VALUES ON CONFLICT DO NOTHING`);
  return findWork(connections, clock);
}

/** Finds the age of the oldest unplanned change in seconds. Ignores retries that wait for their time. */
export async function findPlanLag(connections: Connections): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    connections,
    sql`/* findPlanLag */
      SELECT extract(epoch FROM statement_timestamp() - least(
        (SELECT min(at) FROM planning_queue WHERE ${isReady}),
        (SELECT min(at) FROM changes WHERE ${beyond(sql`position`)})
      ))::float8 AS lag FROM planner`,
  );
  return Math.max(0, row?.lag ?? 0);
}

/** Makes this process the planner until the transaction ends. @returns false if another process is the planner */
export async function lockPlanner(tx: Database): Promise<boolean> {
  const rows = await runSql(tx, sql`/* lockPlanner */ SELECT FROM planner FOR UPDATE SKIP LOCKED`);
  return rows.length > 0;
}

/** Changed fields that may affect mails. For the fields of users and workspaces see `log_whole_spaces`. */
const decisive = ['dueDate', 'dueTime', 'completed', 'reminder', 'preferences', 'members'];

/**
 * Reads a page of the log, and queues the spaces whose plans its changes may affect. Before the first round, it queues
 * all spaces, by pages. All pages of a round use the snapshot of the first one.
 * @param limit changes. A part of a transaction is never cut, so a page may have more
 * @returns whether there may be more
 */
export async function readLog(tx: Database, limit: number): Promise<boolean> {
  const [row] = await runSql<{ isBehind: boolean }>(
    tx,
    sql`/* beginReadingForPlans */
      UPDATE planner SET target = coalesce(target, pg_current_snapshot()),
        position = CASE WHEN ${isOfOtherHistory(sql`coalesce(target, position)`)} THEN NULL ELSE position END
      RETURNING position IS NOT NULL AS "isBehind"`,
  );
  await (row?.isBehind ? readChanges(tx, limit) : readSpaces(tx, limit));
  return true;
}

/** The last page of a round sets the position to the snapshot of the round. */
const readChanges = (tx: Database, limit: number): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readLogForPlans */
      WITH page AS MATERIALIZED (
        SELECT changes.* FROM planner CROSS JOIN LATERAL (
          SELECT transaction_id, part, space_id, type, entity_ids, at, kind <> 'UPDATED' OR fields && ${decisive}::text[] AS is_decisive
          FROM changes
          WHERE ${beyond(sql`position`)} AND (transaction_id, part) > (after_transaction_id, after_part)
            AND pg_visible_in_snapshot(transaction_id::text::xid8, target)
          ORDER BY transaction_id, part FETCH FIRST ${limit} ROWS WITH TIES
        ) AS changes
      ), space AS (
        SELECT space_id, at FROM page WHERE is_decisive AND type = 'TASK' AND EXISTS (
          SELECT FROM unnest(entity_ids) AS changed (id) JOIN tasks AS task USING (id) WHERE ${isRemindedOf}
        )
        UNION ALL
        SELECT space_id, at FROM page WHERE is_decisive AND type = 'WORKSPACE'
        UNION ALL
        -- Includes the personal space.
        SELECT member.space_id, at FROM page JOIN memberships AS member ON member.user_id = page.space_id
        WHERE is_decisive AND type = 'USER'
      ), queued AS (
        INSERT INTO planning_queue (space_id, at) SELECT space_id, min(at) FROM space GROUP BY space_id ORDER BY min(at)
      ), last AS (
        SELECT transaction_id, part, (SELECT count(*) FROM page) < ${limit} AS is_end
        FROM page ORDER BY transaction_id DESC, part DESC LIMIT 1
      )
      UPDATE planner SET (position, target, after_transaction_id, after_part) = (
        SELECT CASE WHEN is_end THEN target ELSE position END, CASE WHEN is_end THEN NULL ELSE target END,
          CASE WHEN is_end THEN 0 ELSE transaction_id END, CASE WHEN is_end THEN 0 ELSE part END
        FROM (SELECT coalesce((SELECT is_end FROM last), true) AS is_end) AS page LEFT JOIN last USING (is_end)
      )`,
  );

/** After the last page, the log is read from the snapshot of the first page. */
const readSpaces = (tx: Database, limit: number): Promise<unknown> =>
  runSql(
    tx,
    sql`/* readSpacesForPlans */
      WITH page AS MATERIALIZED (
        SELECT id FROM spaces WHERE id > (SELECT after_space_id FROM planner) ORDER BY id LIMIT ${limit}
      ), queued AS (
        INSERT INTO planning_queue (space_id) SELECT id FROM page
      )
      UPDATE planner SET (position, target, after_space_id, after_transaction_id, after_part) = (
        SELECT CASE WHEN is_end THEN target END, CASE WHEN is_end THEN NULL ELSE target END, CASE WHEN is_end THEN '' ELSE last END, 0, 0
        FROM (SELECT count(*) < ${limit} AS is_end, max(id) AS last FROM page) AS page
      )`,
  );
