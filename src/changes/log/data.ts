import { Prisma } from '../../generated/prisma/client.ts';
import type { AnswerBudget } from '../../kernel/budget.ts';
import type { Viewer } from '../../kernel/context.ts';
import { db } from '../../database/database.ts';
import { runRead } from '../../database/statements.ts';
import type { Point } from '../../kernel/point.ts';
import { inSpacesOf } from '../../kernel/policy.ts';
import { type Selection, readMany } from '../../nested-read/read.ts';
import type { Place, Points } from './cursor.ts';

const { sql } = Prisma;

/** What the change log has of one task: the table's row, where that names several, is read as one such row for each. */
export interface LogRow extends Point {
  spaceId: string;
  transactionId: number;
  taskId: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  fields: string[];
  /** The task's project after the change; before it, when deleted. */
  projectId: string;
  previousProjectId: string | null;
  /** Milliseconds since 1970. */
  at: number;
  /** Space in which the task was when the row was read; null: it was gone by then. */
  presentSpace: string | null;
}

/** What a statement over the log found of a space, all in one snapshot: its point of then. */
export interface SpaceState extends Point {
  /** Whether the log goes on from where it was read: see `goes_on` in prisma/functions/change_log.sql. */
  goesOn: boolean;
  /** Last revision that was read, where it did not reach the end of the log. */
  end: number | null;
}

interface LogAnswer {
  /** [space, revision, mark, goes on, end] */
  spaces: [string, number, number, boolean, number | null][] | null;
  /** [space, revision, mark, transaction, task, kind, fields, project, previous project, at, present space] */
  rows:
    | [string, number, number, number, string, LogRow['kind'], string[], string, string | null, number, string | null][]
    | null;
  /** [space, last revision] */
  elsewhere: [string, number][] | null;
}

/**
 * Reads the log of several spaces beyond the points: the first changes of each space, and all further ones of the
 * transactions that those belong to. One statement: it sees each transaction whole or not at all. A row of the table
 * names the tasks that a statement changed in the same way, in the order of their revisions up to the row's own.
 * @param signal of the one operation that it is read for; absent: it is read for many
 */
export async function readLog(points: Points, limit: number, signal?: AbortSignal) {
  const statement = sql`/* readLog */
    WITH space AS MATERIALIZED (
      SELECT spaces.id, spaces.revision, spaces.mark, place.revision AS since,
        goes_on(spaces, place.revision, place.mark) AS goes_on
      FROM ${rowsOf([...points].map(([space, point]) => ({ space, ...point })))} JOIN spaces ON spaces.id = place.space
    ), first AS MATERIALIZED (
      SELECT space.id, row.revision, row.transaction_id, row.task_count
      FROM space CROSS JOIN LATERAL (
        SELECT revision, transaction_id, task_count,
          sum(task_count) OVER (ORDER BY task_changes.revision ROWS UNBOUNDED PRECEDING) AS total
        FROM task_changes WHERE space_id = space.id AND task_changes.revision > space.since
        ORDER BY task_changes.revision LIMIT ${limit}
      ) AS row
      WHERE space.revision > space.since AND row.total - row.task_count < ${limit}
    ), whole AS MATERIALIZED (
      SELECT row.* FROM (SELECT DISTINCT transaction_id FROM first) AS writer
      CROSS JOIN LATERAL (
        SELECT * FROM task_changes WHERE transaction_id = writer.transaction_id OFFSET 0
      ) AS row
    ), own AS (
      SELECT whole.space_id, whole.revision - whole.task_count + task.n AS revision, whole.mark, transaction_id,
        task.id AS task_id, kind, fields, project_id, previous_project_id, at, present.space_id AS present_space_id
      FROM whole JOIN space ON space.id = whole.space_id AND whole.revision > space.since
      CROSS JOIN LATERAL unnest(whole.task_ids) WITH ORDINALITY AS task (id, n)
      LEFT JOIN LATERAL (SELECT space_id FROM tasks WHERE id = task.id OFFSET 0) AS present ON true
      WHERE whole.revision - whole.task_count + task.n > space.since
    ), ends AS (
      SELECT id, max(revision) AS revision FROM first GROUP BY id HAVING sum(task_count) >= ${limit}
    )
    SELECT
      (SELECT jsonb_agg(jsonb_build_array(space.id, space.revision, mark, goes_on, ends.revision))
        FROM space LEFT JOIN ends USING (id)) AS spaces,
      (SELECT jsonb_agg(jsonb_build_array(space_id, revision, mark, transaction_id, task_id, kind, fields, project_id,
          previous_project_id, (extract(epoch FROM at) * 1000)::bigint, present_space_id)
          ORDER BY space_id, revision)
        FROM own) AS rows,
      (SELECT jsonb_agg(jsonb_build_array(other.space_id, other.revision)) FROM (
          SELECT space_id, max(revision) AS revision FROM whole
          WHERE space_id NOT IN (SELECT id FROM space) GROUP BY space_id
        ) AS other) AS elsewhere`;
  const [answer] = await runRead<LogAnswer>(statement, signal);
  return {
    spaces: new Map(
      (answer?.spaces ?? []).map(([id, revision, mark, goesOn, end]) => [id, { revision, mark, goesOn, end }]),
    ) as Map<string, SpaceState>,
    rows: (answer?.rows ?? []).map((row): LogRow => {
      const [spaceId, revision, mark, transactionId, taskId, kind, fields, projectId, ...others] = row;
      const [previousProjectId, at, presentSpace] = others;
      const task = { taskId, kind, fields, projectId, previousProjectId, at, presentSpace };
      return { spaceId, revision, mark, transactionId, ...task };
    }),
    elsewhere: new Map(answer?.elsewhere ?? []),
  };
}

/** Places as rows of a statement, each a `place`. */
const rowsOf = (places: readonly Place[]) => sql`
  unnest(
    ${places.map(({ space }) => space)}::text[], ${places.map(({ revision }) => revision)}::bigint[],
    ${places.map(({ mark }) => mark)}::integer[]
  ) AS place (space, revision, mark)`;

/** Spaces among those of the places from where the log does not go on. */
export async function findLost(places: readonly Place[]): Promise<string[]> {
  if (places.length === 0) return [];
  const statement = sql`/* findLost */
    SELECT DISTINCT spaces.id FROM ${rowsOf(places)} JOIN spaces ON spaces.id = place.space
    WHERE NOT goes_on(spaces, place.revision, place.mark)`;
  const rows = await runRead<{ id: string }>(statement, undefined);
  return rows.map(({ id }) => id);
}

/**
 * Where a member stands in spaces that they joined after their cursor was made: at the last change before
 * they joined, of whatever kind. Null where the changes since then are no longer all there.
 */
export async function positionsAtJoining(
  userId: string,
  spaceIds: readonly string[],
  retentionDays: number,
): Promise<Map<string, Point | null>> {
  const rows = await db.$queryRaw<{ id: string; isKept: boolean; revision: number; mark: number }[]>`
    SELECT spaces.id, coalesce(last.revision, log_start)::float8 AS revision, coalesce(last.mark, log_start_mark) AS mark,
      last IS NOT NULL OR log_start = 0 OR m.created_at > now() - make_interval(days => ${retentionDays}::int) AS "isKept"
    FROM memberships AS m JOIN spaces ON spaces.id = m.space_id
    LEFT JOIN LATERAL (
      SELECT revision, changes.mark FROM changes
      WHERE space_id = spaces.id AND at < m.created_at
      ORDER BY changes.revision DESC LIMIT 1
    ) AS last ON true
    WHERE m.user_id = ${userId} AND m.space_id = ANY (${[...spaceIds]})`;
  return new Map(rows.map(({ id, isKept, revision, mark }) => [id, isKept ? { revision, mark } : null]));
}

/** Space of a project that the viewer may see. */
export async function spaceOfProject(viewer: Viewer, id: string): Promise<string | null> {
  const project = await db.project.findFirst({ where: { id, ...inSpacesOf(viewer) }, select: { spaceId: true } });
  return project?.spaceId ?? null;
}

/** A task with all that a selection asks for, and the space that decides who may see it. */
export type LoadedTask = { id: string; spaceId: string };

/** Tasks by id, whoever may see them: the receivers of a change are checked one by one. */
export const findTasks = (ids: readonly string[], { select }: Selection, budget: AnswerBudget): Promise<LoadedTask[]> =>
  readMany('Task', { select: { ...select, id: true, spaceId: true }, where: { id: { in: [...ids] } } }, budget);

/* eslint-disable no-restricted-syntax -- This is no caller's write, and takes only spaces that nobody holds. */
/**
 * Deletes the oldest rows of the log. The same statement raises `log_start` of their spaces, so that a cursor from before is told
 * CURSOR_EXPIRED. It waits for no writer: a space that one holds is left for the next time. Writers wait for the one statement at
 * the most.
 * @param days rows older than so many, by the database's clock, which wrote them
 * @returns how many rows were deleted, and how many were due in the batch
 */
export async function pruneBatch(days: number, limit: number): Promise<{ deleted: number; due: number }> {
  const [counts] = await db.$queryRaw<{ deleted: number; due: number }[]>`
    WITH oldest AS MATERIALIZED (
      SELECT space_id, revision FROM changes WHERE at < statement_timestamp() - make_interval(days => ${days}::int)
      ORDER BY at LIMIT ${limit}
    ), held AS MATERIALIZED (
      SELECT id FROM spaces WHERE id IN (SELECT space_id FROM oldest) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED
    ), bound AS MATERIALIZED (
      SELECT space_id, max(revision) AS revision FROM oldest WHERE space_id IN (SELECT id FROM held) GROUP BY space_id
    ), deleted AS (
      DELETE FROM changes USING bound
      WHERE changes.space_id = bound.space_id AND changes.revision <= bound.revision
      RETURNING changes.space_id, changes.revision, changes.mark
    ), raised AS (
      UPDATE spaces SET log_start = last.revision, log_start_mark = last.mark
      FROM deleted AS last JOIN bound USING (space_id, revision) WHERE spaces.id = space_id
    )
    SELECT (SELECT count(*) FROM deleted)::int AS deleted, (SELECT count(*) FROM oldest)::int AS due`;
  return counts ?? { deleted: 0, due: 0 };
}
/* eslint-enable no-restricted-syntax */
