import {
  type CompiledSelection,
  fromItem,
  orderByClause,
  type RowReader,
  rowReader,
  whereClause,
} from '@taskgate/nested-read';
import { streamInSnapshot } from '@taskgate/postgres';
import { ResponseBudget } from '@taskgate/work';
import { models } from '../platform/models.ts';
import { Prisma } from '../generated/prisma/client.ts';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { pageOf } from './connection.ts';
import { bySortKey } from './data.ts';
import type { TaskFilter } from './filter.ts';
import type { TaskOrder } from './order.ts';

const { sql } = Prisma;

const task = { model: models.Task, alias: 'task' };
const section = { model: models.Section, alias: 'section' };

export interface ListArguments {
  filter: TaskFilter;
  orderBy: TaskOrder;
}

/** An entry of a list, or a task of the preceding entry's tree, depth first. */
interface StreamedTask<Task, Section> {
  /** 0 for an entry, 1 for its subtasks. Null for a section without entries. */
  level: number | null;
  task: Task | null;
  section: Section | null;
}

/** Batches of tasks from one snapshot. */
export type TaskBatches<Task, Section = never> = AsyncGenerator<StreamedTask<Task, Section>[]>;

/** Some milliseconds of work. */
const batchBytes = 256 * 1024;
const [minRows, maxRows] = [5, 500];

/**
 * Reads each entry's tree as rows: no tree is in memory as a whole. Subqueries with OFFSET 0 next to LATERAL joins keep
 * their order.
 * @param entries query of `id` and `section` in the order of the list
 */
async function* readTrees<Task, Section>(
  viewer: Viewer,
  entries: Prisma.Sql,
  readTask: RowReader<Task>,
  readSection?: RowReader<Section>,
): TaskBatches<Task, Section> {
  const statement = sql`
    SELECT tree.level, tree.task, entry.section
    FROM (${entries} OFFSET 0) AS entry
    LEFT JOIN LATERAL (
      WITH RECURSIVE below AS (
        SELECT id, 0 AS level, ARRAY[]::text[] COLLATE "C" AS path FROM tasks WHERE id = entry.id
        UNION ALL
        SELECT child.id, level + 1, (path || ARRAY[child.sort_key, child.id]) COLLATE "C"
        FROM below JOIN tasks AS child ON child.parent_id = below.id
      )
      SELECT place.level, made.task
      FROM (SELECT id, level FROM below ORDER BY path COLLATE "C" OFFSET 0) AS place
      CROSS JOIN LATERAL (
        SELECT ${readTask.text} AS task FROM ${fromItem(task)} WHERE task.id = place.id OFFSET 0
      ) AS made
      OFFSET 0
    ) AS tree ON true`;
  let [rows, bytes] = [100, batchBytes];
  const next = () => (rows = Math.min(maxRows, Math.max(minRows, Math.round((rows * batchBytes) / bytes))));
  const budget = new ResponseBudget(undefined, viewer.signal, { owner: viewer.id, requiredState: viewer });
  const batches = streamInSnapshot<StreamedTask<string, string>>(viewer.connections, [statement], next, budget);
  for await (const { rows: batch } of batches) {
    rows = batch.length;
    bytes = batch.reduce((sum, { task }) => sum + (task?.length ?? 0), 1);
    yield batch.map(({ level, task, section }) => ({
      level,
      task: task === null ? null : readTask.parse(task),
      section: section === null || !readSection ? null : readSection.parse(section),
    }));
  }
}

export function streamTasks<Task>(
  context: Context,
  args: ListArguments,
  selection: CompiledSelection<Task>,
): TaskBatches<Task> {
  const viewer = signedIn(context);
  const { where, orderBy } = pageOf(args, viewer, context.pageSize).query;
  const entries = sql`
    SELECT task.id, NULL AS section FROM ${fromItem(task)}
    WHERE ${whereClause(task, { AND: [inSpacesOf(viewer), where] })} ${orderByClause(task, orderBy)}`;
  return readTrees<Task, never>(viewer, entries, rowReader(task, selection, context));
}

/** A section without tasks is one row. */
export function streamSections<Section, Task>(
  context: Context,
  projectId: string,
  sectionSelection: CompiledSelection<Section>,
  taskSelection: CompiledSelection<Task>,
): TaskBatches<Task, Section> {
  const viewer = signedIn(context);
  const readSection = rowReader(section, sectionSelection, context);
  const entries = sql`
    SELECT task.id, ${readSection.text} AS section
    FROM ${fromItem(section)} LEFT JOIN ${fromItem(task)} ON task.section_id = section.id
    WHERE ${whereClause(section, { projectId, ...inSpacesOf(viewer) })}
    ORDER BY section.sort_key, section.id, task.sort_key, task.id`;
  return readTrees(viewer, entries, rowReader(task, taskSelection, context), readSection);
}

export function allTasks<Task>(context: Context, selection: CompiledSelection<Task>) {
  const { text, parse } = rowReader(task, selection, context);
  const where = whereClause(task, inSpacesOf(signedIn(context)));
  const statement = sql`
    SELECT ${text} AS record FROM ${fromItem(task)} WHERE ${where} ${orderByClause(task, bySortKey)}`;
  return { statement, parse };
}
