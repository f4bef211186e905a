import type { Selection } from '@taskgate/nested-read';
import { type Point, type Reader, readOnAny, readWithDeadline } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Connections } from '../../platform/database.ts';
import { inSpacesOf } from '../../platform/policy.ts';
import type { SpacePoint, Points } from './cursor.ts';

const { sql } = Prisma;

/** A row of the table may become several. */
export interface LogRow extends Point {
  spaceId: string;
  transactionId: number;
  operationId: string;
  part: number;
  taskId: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  fields: string[];
  /** Project after the change, or before a deletion. */
  projectId: string;
  previousProjectId: string | null;
  /** Milliseconds since 1970. */
  at: number;
  /** When the log was read. Null if the task was gone. */
  presentSpace: string | null;
}

export interface SpaceState extends Point {
  /** Whether the log continues from the point: see `can_resume` in prisma/functions/change_log.sql. */
  canResume: boolean;
  /** Last revision read; null at the end of the log. */
  end: number | null;
}

/** `presentSpaces` names spaces of moved tasks, by index. */
interface TableRow extends Omit<LogRow, 'taskId' | 'presentSpace'> {
  taskIds: string[];
  presentSpaces: Record<number, string | null> | null;
}

interface LogResult {
  spaces: (SpaceState & { id: string })[] | null;
  rows: TableRow[] | null;
  otherSpaces: Record<string, number> | null;
}

export interface TimedReader extends Reader {
  connections: Connections;
  /** Timeout without an operation. */
  statementMs?: number;
}

const run = <Row extends object>(reader: TimedReader, statement: Prisma.Sql): Promise<Row[]> => {
  const { connections, statementMs } = reader;
  return statementMs === undefined
    ? readOnAny(reader, statement)
    : readWithDeadline(connections, statement, statementMs);
};

/**
 * Reads changes after the points, with all changes of the same transactions (or parts). The single statement sees each
 * part whole. A row of the table names tasks in the order of their revisions, which end at the row's.
 * @param limit changes; the last part, of at most 5,000, is whole. The oldest come first, by operation id. If the clock
 * goes back, the order of each space still holds
 * @param inTurns the next change of each space comes first
 */
export async function readLog(reader: TimedReader, points: Points, limit: number, inTurns: boolean) {
  const others = inTurns
    ? sql`SELECT 2, news.operation_id, row.* FROM news CROSS JOIN LATERAL (
        SELECT space_id, revision, transaction_id, part FROM task_changes
        WHERE space_id = news.id AND revision > news.revision ORDER BY revision LIMIT ${limit}
      ) AS row`
    : sql`SELECT 1, row.* FROM news CROSS JOIN LATERAL (
        SELECT greatest(news.operation_id, max(operation_id) OVER (ORDER BY revision)) AS age, space_id, revision, transaction_id, part
        FROM task_changes WHERE space_id = news.id AND revision > news.revision ORDER BY revision LIMIT ${limit}
      ) AS row ORDER BY age, space_id, revision`;
  const statement = sql`/* readLog */
    WITH space AS MATERIALIZED (
      SELECT spaces.id, spaces.revision, spaces.history_nonce, point.revision AS since,
        can_resume(spaces, point.revision, point.history_nonce) AS can_resume
      FROM ${rowsOf([...points].map(([space, point]) => ({ space, ...point })))} JOIN spaces ON spaces.id = point.space
    ), news AS MATERIALIZED (
      SELECT space.id, space.since, next.* FROM space CROSS JOIN LATERAL (
        SELECT operation_id, revision, transaction_id, part FROM task_changes
        WHERE space_id = space.id AND task_changes.revision > space.since ORDER BY task_changes.revision LIMIT 1
      ) AS next
      WHERE space.revision > space.since ORDER BY next.operation_id, space.id
    ), first AS (
      SELECT transaction_id, part, row_number() OVER (ORDER BY turn, age, space_id, revision) AS n FROM (
        (SELECT 1 AS turn, operation_id AS age, id AS space_id, revision, transaction_id, part FROM news LIMIT ${limit})
        UNION ALL
        (${others} LIMIT ${limit})
      ) AS row
    ), whole AS MATERIALIZED (
      SELECT row.*, writer.n FROM (
        SELECT transaction_id, part, min(n) AS n FROM first GROUP BY transaction_id, part
      ) AS writer
      CROSS JOIN LATERAL (
        SELECT * FROM task_changes WHERE transaction_id = writer.transaction_id AND part = writer.part OFFSET 0
      ) AS row
    ), kept AS MATERIALIZED (
      SELECT transaction_id, part FROM (
        SELECT transaction_id, part, sum(task_count) AS own, sum(sum(task_count)) OVER (ORDER BY n) AS total
        FROM whole GROUP BY n, transaction_id, part
      ) AS writer WHERE total - own < ${limit}
    ), own AS (
      SELECT whole.*, task_ids[greatest(since - revision + task_count, 0)::integer + 1:] AS ids
      FROM whole JOIN kept USING (transaction_id, part) JOIN (SELECT id, since FROM space) AS space ON id = space_id
      WHERE revision > since
    ), ends AS (
      SELECT news.id, coalesce((SELECT max(own.revision) FROM own WHERE space_id = news.id AND own.revision < next.revision), since) AS revision
      FROM news CROSS JOIN LATERAL (
        SELECT revision FROM task_changes
        WHERE space_id = news.id AND revision > since AND (transaction_id, part) NOT IN (SELECT transaction_id, part FROM kept)
        ORDER BY revision LIMIT 1
      ) AS next
    )
    SELECT
      (SELECT json_agg(json_build_object('id', space.id, 'revision', space.revision, 'historyNonce', history_nonce,
          'canResume', can_resume, 'end', ends.revision)) FROM space LEFT JOIN ends USING (id)) AS spaces,
      (SELECT json_agg(json_build_object('spaceId', space_id, 'revision', revision, 'historyNonce', history_nonce,
          'transactionId', transaction_id, 'operationId', operation_id, 'part', part, 'kind', kind, 'fields', fields, 'projectId', project_id,
          'previousProjectId', previous_project_id, 'at', (extract(epoch FROM at) * 1000)::bigint, 'taskIds', ids,
          'presentSpaces', (
            SELECT json_object_agg(task.n - 1, present.space_id) FROM unnest(ids) WITH ORDINALITY AS task (id, n)
            LEFT JOIN LATERAL (SELECT space_id FROM tasks WHERE id = task.id OFFSET 0) AS present ON true
            WHERE present.space_id IS DISTINCT FROM own.space_id
          )) ORDER BY space_id, revision)
        FROM own) AS rows,
      (SELECT json_object_agg(space_id, revision) FROM (
          SELECT space_id, max(revision) AS revision FROM whole JOIN kept USING (transaction_id, part)
          WHERE space_id NOT IN (SELECT id FROM space) GROUP BY space_id
        ) AS other) AS "otherSpaces"`;
  const [answer] = await run<LogResult>(reader, statement);
  return {
    spaces: new Map((answer?.spaces ?? []).map(({ id, ...state }) => [id, state])) as Map<string, SpaceState>,
    rows: (answer?.rows ?? []).flatMap(({ taskIds, presentSpaces, revision, ...row }) =>
      taskIds.map((taskId, index): LogRow => {
        const presentSpace = presentSpaces?.[index];
        return {
          ...row,
          revision: revision - taskIds.length + 1 + index,
          taskId,
          presentSpace: presentSpace === undefined ? row.spaceId : presentSpace,
        };
      }),
    ),
    otherSpaces: new Map(Object.entries(answer?.otherSpaces ?? {})),
  };
}

const rowsOf = (points: readonly SpacePoint[]) => sql`
  unnest(
    ${points.map(({ space }) => space)}::text[], ${points.map(({ revision }) => revision)}::bigint[],
    ${points.map(({ historyNonce }) => historyNonce)}::integer[]
  ) AS point (space, revision, history_nonce)`;

/** Returns spaces whose log does not continue from the points. */
export async function findLost(reader: TimedReader, points: readonly SpacePoint[]): Promise<string[]> {
  if (points.length === 0) return [];
  const statement = sql`/* findLost */
    SELECT DISTINCT spaces.id FROM ${rowsOf(points)} JOIN spaces ON spaces.id = point.space
    WHERE NOT can_resume(spaces, point.revision, point.history_nonce)`;
  const rows = await run<{ id: string }>(reader, statement);
  return rows.map(({ id }) => id);
}

/**
 * Returns the last point before the member joined, or before a later moment. Null if later changes were pruned, or the
 * clock was set back since the member joined: later changes then have earlier times.
 */
export async function positionsAtJoining(
  { db }: Connections,
  userId: string,
  spaceIds: readonly string[],
  retentionDays: number,
  since?: Date,
): Promise<Map<string, Point | null>> {
  const rows = await db.$queryRaw<({ id: string; isKept: boolean } & Point)[]>`
    SELECT spaces.id, coalesce(last.revision, log_start)::float8 AS revision,
      coalesce(last.history_nonce, log_start_nonce) AS "historyNonce",
      last IS NOT NULL OR log_start = 0 OR start.at > now() - make_interval(days => ${retentionDays}::int) AS "isKept"
    FROM memberships AS m JOIN spaces ON spaces.id = m.space_id
    CROSS JOIN LATERAL (
      SELECT greatest(
        CASE WHEN m.created_at < now() + interval '1 minute' THEN m.created_at END, ${since ?? null}::timestamptz
      ) AS at
    ) AS start
    LEFT JOIN LATERAL (
      SELECT revision, changes.history_nonce FROM changes
      WHERE space_id = spaces.id AND changes.at < start.at
      ORDER BY changes.revision DESC LIMIT 1
    ) AS last ON true
    WHERE m.user_id = ${userId} AND m.space_id = ANY (${[...spaceIds]})`;
  return new Map(rows.map(({ id, isKept, ...point }) => [id, isKept ? point : null]));
}

export async function spaceOfProject(viewer: Viewer, id: string): Promise<string | null> {
  const { db } = viewer.connections;
  const project = await db.project.findFirst({ where: { id, ...inSpacesOf(viewer) }, select: { spaceId: true } });
  return project?.spaceId ?? null;
}

export type LoadedTask = { id: string; spaceId: string };

/** Reads tasks of any space. Callers check access. */
export const findTasks = (reader: TimedReader, ids: readonly string[], { select }: Selection): Promise<LoadedTask[]> =>
  reader.connections.db.task.read(
    { select: { ...select, id: true, spaceId: true }, where: { id: { in: [...ids] } } },
    reader,
  );

export interface EndedPeriod {
  number: number;
  snapshot: string;
  /** Whether all spaces start after its changes. */
  isRaised: boolean;
  /** Whether that has held for a minute: readers with older snapshots have ended. */
  isUnread: boolean;
}

/** Returns the next period once half of the retention has passed. */
export async function findEndedPeriod({ db }: Connections, days: number): Promise<EndedPeriod | undefined> {
  const [period] = await db.$queryRaw<EndedPeriod[]>`
    SELECT (number + 1) % 3 AS number, pg_current_snapshot()::text AS snapshot, raised_at IS NOT NULL AS "isRaised",
      coalesce(raised_at < statement_timestamp() - interval '1 minute', false) AS "isUnread"
    FROM log_period WHERE began_at <= statement_timestamp() - make_interval(days => ${days}::int) / 2`;
  return period;
}

/* eslint-disable no-restricted-syntax -- This is no caller's write, and takes only spaces that nobody holds. */
/**
 * Raises `log_start` of spaces with changes in the partition: older cursors get CURSOR_EXPIRED. Skips spaces that
 * writers hold.
 * @returns the last space, null at the end; and the number of skipped spaces
 */
export async function raiseStarts(
  { db }: Connections,
  { number }: EndedPeriod,
  after: string,
  limit: number,
): Promise<{ last: string | null; held: number }> {
  const [result] = await db.$queryRaw<{ last: string | null; held: number }[]>`
    WITH RECURSIVE space AS (
      SELECT ${after} AS id
      UNION ALL
      -- Looks up the next space. Reading all rows takes a hundred times as long.
      SELECT next.space_id FROM space
      CROSS JOIN LATERAL (
        SELECT space_id FROM changes WHERE period = ${number}::smallint AND space_id > space.id ORDER BY space_id LIMIT 1
      ) AS next
    ), page AS MATERIALIZED (
      SELECT id FROM space OFFSET 1 LIMIT ${limit}
    ), due AS MATERIALIZED (
      SELECT page.id, last.* FROM page CROSS JOIN LATERAL (
        SELECT revision, history_nonce FROM changes WHERE period = ${number}::smallint AND space_id = page.id
        ORDER BY revision DESC LIMIT 1
      ) AS last
      JOIN spaces ON spaces.id = page.id WHERE spaces.log_start < last.revision
    ), held AS MATERIALIZED (
      SELECT id FROM spaces WHERE id IN (SELECT id FROM due) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), raised AS (
      UPDATE spaces SET log_start = due.revision, log_start_nonce = due.history_nonce
      FROM due JOIN held USING (id) WHERE spaces.id = due.id RETURNING spaces.id
    )
    SELECT (SELECT max(id) FROM page) AS last, (SELECT count(*) FROM due)::int - (SELECT count(*) FROM raised)::int AS held`;
  return result ?? { last: null, held: 0 };
}
/* eslint-enable no-restricted-syntax */

/** Notes that all spaces start after the changes in the period's snapshot. */
export const noteRaised = ({ db }: Connections, { number, snapshot }: EndedPeriod) =>
  db.$executeRaw`
    UPDATE log_period SET raised_at = statement_timestamp(), raised_snapshot = ${snapshot}::pg_snapshot
    WHERE (number + 1) % 3 = ${number}::int AND raised_at IS NULL`;

/** Empties the partition. @returns false if readers hold it, or another process was first */
export async function beginPeriod({ db }: Connections, { number }: EndedPeriod): Promise<boolean> {
  const [row] = await db.$queryRaw<{ done: boolean }[]>`SELECT begin_log_period(${number}::smallint) AS done`;
  return row?.done === true;
}
