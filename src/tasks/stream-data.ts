import { Prisma } from '../generated/prisma/client.ts';
import { conditions, type OrderBy, orderClause } from '../nested-read/conditions.ts';
import type { Viewer } from '../kernel/context.ts';
import { readByCursor } from '../database/cursor.ts';
import { inSpacesOf } from '../kernel/policy.ts';
import type { Page } from './connection.ts';
import { carriedTags, taskRecord } from './data.ts';

const { sql } = Prisma;

/** An entry of a list, or a task of the tree below the last one, in depth-first order. */
export interface StreamedTask {
  /** 0 for an entry, 1 for its subtasks, and so on. Null where a section has no entry. */
  level: number | null;
  /** A `TaskRecord`. */
  record: object | null;
  /** The section that the entry stands in, in a list of sections. */
  section: object | null;
}

/** Bytes of rows, about, that are read at once: some milliseconds of work. */
const batchBytes = 256 * 1024;
const [fewestRows, mostRows] = [5, 500];

/**
 * Reads each entry with the whole tree below it, as rows of tasks: however large a tree is, it is never held as a whole.
 * Subqueries with OFFSET 0 beside LATERAL joins keep the order that they are read in.
 * @param entries a query of `id` and `section` in the order of the list
 */
async function* readTrees(viewer: Viewer, entries: Prisma.Sql): AsyncGenerator<StreamedTask[]> {
  const statement = sql`
    SELECT tree.level, tree.record, entry.section
    FROM (${entries} OFFSET 0) AS entry
    LEFT JOIN LATERAL (
      WITH RECURSIVE below AS (
        SELECT id, 0 AS level, ARRAY[]::text[] COLLATE "C" AS path FROM tasks WHERE id = entry.id
        UNION ALL
        SELECT child.id, level + 1, (path || ARRAY[child.sort_key, child.id]) COLLATE "C"
        FROM below JOIN tasks AS child ON child.parent_id = below.id
      )
      SELECT place.level, made.record
      FROM (SELECT id, level FROM below ORDER BY path COLLATE "C" OFFSET 0) AS place
      CROSS JOIN LATERAL (
        SELECT ${taskRecord} AS record FROM tasks AS task ${carriedTags(viewer)} WHERE task.id = place.id OFFSET 0
      ) AS made
      OFFSET 0
    ) AS tree ON true`;
  let [rows, bytes] = [100, batchBytes];
  const next = () => (rows = Math.min(mostRows, Math.max(fewestRows, Math.round((rows * batchBytes) / bytes))));
  for await (const batch of readByCursor<StreamedTask>(statement, next, viewer.signal)) {
    rows = batch.length;
    bytes = batch.reduce((sum, { record }) => sum + roughSize(record), 1);
    yield batch;
  }
}

/** Bytes of a record, about: its only text that may be long, and the rest. */
const roughSize = (record: object | null) =>
  500 + ((record as { description?: string | null } | null)?.description?.length ?? 0);

/** The viewer's tasks that a page's filter lets through, in its order, each with its tree. */
export function streamTasks(viewer: Viewer, { query }: Page): AsyncGenerator<StreamedTask[]> {
  const task = { model: 'Task', alias: 't' } as const;
  const order = orderClause(task, query.orderBy as OrderBy[], new Map());
  const entries = sql`
    SELECT t.id, NULL::json AS section FROM tasks AS t
    WHERE ${conditions(task, inSpacesOf(viewer))} AND ${conditions(task, query.where)} ${order}`;
  return readTrees(viewer, entries);
}

/** The sections of a project with their tasks, each with its tree; a section without tasks as one row. */
export function streamSections(viewer: Viewer, projectId: string): AsyncGenerator<StreamedTask[]> {
  const entries = sql`
    SELECT t.id,
      json_build_object('id', s.id, 'name', s.name, 'sortKey', s.sort_key, 'projectId', s.project_id) AS section
    FROM sections AS s LEFT JOIN tasks AS t ON t.section_id = s.id
    WHERE s.project_id = ${projectId} AND s.space_id = ANY (${viewer.spaceIds})
    ORDER BY s.sort_key, s.id, t.sort_key, t.id`;
  return readTrees(viewer, entries);
}

/** All of the viewer's tasks, by sort key, each as a row whose `record` is a `TaskRecord`. */
export const allTasks = (viewer: Viewer): Prisma.Sql => sql`
  SELECT ${taskRecord} AS record FROM tasks AS task ${carriedTags(viewer)}
  WHERE task.space_id = ANY (${viewer.spaceIds}) ORDER BY task.sort_key, task.id`;
