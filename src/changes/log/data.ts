import { Prisma } from '../../generated/prisma/client.ts';
import type { AnswerBudget } from '../../kernel/budget.ts';
import type { Viewer } from '../../kernel/context.ts';
import { db } from '../../database/database.ts';
import { runRead } from '../../database/statements.ts';
import { inSpacesOf } from '../../kernel/policy.ts';
import { type Selection, readMany } from '../../nested-read/read.ts';
import type { Revisions } from './cursor.ts';

const { sql } = Prisma;

/** What the change log has of one task: the table's row, where that names several, is read as one such row for each. */
export interface LogRow {
  spaceId: string;
  revision: number;
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

/** What a statement over the log found of a space, all in one snapshot. */
export interface SpaceState {
  revision: number;
  prunedTo: number;
  /** Last revision that was read, where it did not reach the end of the log. */
  end: number | null;
}

interface LogAnswer {
  /** [space, revision, pruned to, end] */
  spaces: [string, number, number, number | null][] | null;
  /** [space, revision, transaction, task, kind, fields, project, previous project, at, present space] */
  rows:
    [string, number, number, string, LogRow['kind'], string[], string, string | null, number, string | null][] | null;
  /** [space, last revision] */
  elsewhere: [string, number][] | null;
}

/**
 * Reads the log of several spaces beyond the revisions: the first changes of each space, and all further ones of the
 * transactions that those belong to. One statement: it sees each transaction whole or not at all. A row of the table
 * names the tasks that a statement changed in the same way, in the order of their revisions up to the row's own.
 * @param signal of the one operation that it is read for; absent: it is read for many
 */
export async function readLog(revisions: Revisions, limit: number, signal?: AbortSignal) {
  const statement = sql`/* readLog */
    WITH space AS MATERIALIZED (
      SELECT spaces.id, spaces.revision, spaces.pruned_to, since.value::bigint AS since
      FROM jsonb_each_text(${JSON.stringify(Object.fromEntries(revisions))}::jsonb) AS since
      JOIN spaces ON spaces.id = since.key
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
      SELECT whole.space_id, whole.revision - whole.task_count + task.n AS revision, transaction_id, task.id AS task_id,
        kind, fields, project_id, previous_project_id, at, present.space_id AS present_space_id
      FROM whole JOIN space ON space.id = whole.space_id AND whole.revision > space.since
      CROSS JOIN LATERAL unnest(whole.task_ids) WITH ORDINALITY AS task (id, n)
      LEFT JOIN LATERAL (SELECT space_id FROM tasks WHERE id = task.id OFFSET 0) AS present ON true
      WHERE whole.revision - whole.task_count + task.n > space.since
    ), ends AS (
      SELECT id, max(revision) AS revision FROM first GROUP BY id HAVING sum(task_count) >= ${limit}
    )
    SELECT
      (SELECT jsonb_agg(jsonb_build_array(space.id, space.revision, space.pruned_to, ends.revision))
        FROM space LEFT JOIN ends USING (id)) AS spaces,
      (SELECT jsonb_agg(jsonb_build_array(space_id, revision, transaction_id, task_id, kind, fields, project_id,
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
      (answer?.spaces ?? []).map(([id, revision, prunedTo, end]) => [id, { revision, prunedTo, end }]),
    ) as Map<string, SpaceState>,
    rows: (answer?.rows ?? []).map((row): LogRow => {
      const [spaceId, revision, transactionId, taskId, kind, fields, projectId, previousProjectId, at, presentSpace] =
        row;
      return { spaceId, revision, transactionId, taskId, kind, fields, projectId, previousProjectId, at, presentSpace };
    }),
    elsewhere: new Map(answer?.elsewhere ?? []),
  };
}

/**
 * Where a member stands in spaces that they joined after their cursor was made: at the last change before
 * they joined, of whatever kind: revisions are the space's. Null where the changes since then are no longer all there.
 */
export async function positionsAtJoining(
  userId: string,
  spaceIds: readonly string[],
  retentionDays: number,
): Promise<Map<string, number | null>> {
  const rows = await db.$queryRaw<{ id: string; revision: number | null }[]>`
    SELECT spaces.id, CASE
        WHEN last.revision IS NOT NULL THEN last.revision
        WHEN spaces.pruned_to = 0 OR m.created_at > now() - make_interval(days => ${retentionDays}::int)
          THEN spaces.pruned_to
      END::float8 AS revision
    FROM memberships AS m JOIN spaces ON spaces.id = m.space_id
    LEFT JOIN LATERAL (
      SELECT revision FROM changes
      WHERE space_id = spaces.id AND at < m.created_at
      ORDER BY changes.revision DESC LIMIT 1
    ) AS last ON true
    WHERE m.user_id = ${userId} AND m.space_id = ANY (${[...spaceIds]})`;
  return new Map(rows.map(({ id, revision }) => [id, revision]));
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
 * Deletes the oldest rows of the log. The same statement raises `log_start` of their spaces, and, where rows of tasks are among
 * them, `pruned_to`, so that a cursor from before is told CURSOR_EXPIRED: those of task changes read no rows of other kinds. It
 * waits for no writer: a space that one holds is left for the next time. Writers wait for the one statement at the most.
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
      RETURNING changes.space_id, changes.revision, type, change_mark(changes) AS mark
    ), raised AS (
      UPDATE spaces
      SET log_start = last.revision, log_start_mark = last.mark, pruned_to = greatest(pruned_to, last.revision_of_tasks)
      FROM (
        SELECT deleted.*, max(revision) FILTER (WHERE type = 'TASK') OVER (PARTITION BY space_id) AS revision_of_tasks
        FROM deleted
      ) AS last
      JOIN bound ON bound.space_id = last.space_id AND bound.revision = last.revision
      WHERE spaces.id = last.space_id
    )
    SELECT (SELECT count(*) FROM deleted)::int AS deleted, (SELECT count(*) FROM oldest)::int AS due`;
  return counts ?? { deleted: 0, due: 0 };
}
/* eslint-enable no-restricted-syntax */
