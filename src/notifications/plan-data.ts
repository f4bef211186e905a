import { Prisma } from '../generated/prisma/client.ts';
import { type Database, db } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import type { Clock } from './clock.ts';
import { isDue, isReady } from './planning-queue-data.ts';
import { isRemindedOf } from './reminder-data.ts';

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

/** Whether there is something for a planner to do: to read of the log, to take off the queue. */
export interface Work {
  log: boolean;
  queue: boolean;
}

export async function findWork(clock: Clock): Promise<Work> {
  const [work] = await runSql<Work>(
    db,
    sql`/* findPlanWork */
      SELECT position IS NULL OR target IS NOT NULL OR ${isOfOtherHistory(sql`position`)}
          OR EXISTS (SELECT FROM changes WHERE ${beyond(sql`position`)}) AS log,
        EXISTS (SELECT FROM planning_queue WHERE ${isReady}) OR EXISTS (SELECT FROM planning_queue WHERE ${isDue(clock)}) AS queue
      FROM planner`,
  );
  if (work) return work;
  // Somebody has emptied the table.
  await runSql(db, sql`INSERT INTO planner DEFAULT VALUES ON CONFLICT DO NOTHING`);
  return findWork(clock);
}

/** Seconds since the oldest change that is not planned, but for what is left alone for a while. */
export async function findPlanLag(): Promise<number> {
  const [row] = await runSql<{ lag: number | null }>(
    db,
    sql`/* findPlanLag */
      SELECT extract(epoch FROM statement_timestamp() - least(
        (SELECT min(at) FROM planning_queue WHERE ${isReady}),
        (SELECT min(at) FROM changes WHERE ${beyond(sql`position`)})
      ))::float8 AS lag FROM planner`,
  );
  return Math.max(0, row?.lag ?? 0);
}

/** Makes this process the one that plans, until the transaction ends. @returns whether no other one is */
export async function lockPlanner(tx: Database): Promise<boolean> {
  const rows = await runSql(tx, sql`/* lockPlanner */ SELECT FROM planner FOR UPDATE SKIP LOCKED`);
  return rows.length > 0;
}

/** What of a change decides over mails, where it is an update: fields of tasks, and what `log_whole_spaces` says of users and workspaces. */
const decisive = ['dueDate', 'dueTime', 'completed', 'reminder', 'preferences', 'members'];

/**
 * Reads the next page of the log, and queues the spaces whose plans its changes may decide over; where nothing has been read yet, the
 * next page of all spaces. What had been committed when the first page was read is read up to the last one, so that changes that are
 * committed late are of the next time. Most changes, such as those of tasks without a reminder, call for nothing.
 * @param limit of changes, and at least one part of a transaction
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

/** Goes on after the last part of a transaction that a page has; or ends, where the page is the last one. */
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
        -- The personal space of a user is one of theirs.
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

/** Likewise; what is read of the log from then on is what came after the first page. */
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
