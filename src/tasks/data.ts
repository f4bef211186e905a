import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import { type Database, db } from '../kernel/database.ts';
import { formatDate } from '../kernel/dates.ts';
import { inSpacesOf } from '../kernel/policy.ts';
import { spreadKeys } from '../kernel/sort-key.ts';
import type { Page } from './connection.ts';

const { sql } = Prisma;

// Reading ---------------------------------------------------------------------------------------

export type TaskQuery = { select?: Prisma.TaskSelect; include?: Prisma.TaskInclude };

export const findTask = (viewer: Viewer, id: string, query: TaskQuery) =>
  db.task.findFirst({ ...query, where: { id, ...inSpacesOf(viewer) } });

export const findTasks = (viewer: Viewer, ids: string[], query: TaskQuery) =>
  db.task.findMany({ ...query, where: { id: { in: ids }, ...inSpacesOf(viewer) } });

/**
 * A page of the viewer's tasks with their number, in one statement: a list for each of the spaces,
 * which the index of the order gives from its start, however many tasks there are.
 */
export async function listTasks(viewer: Viewer, page: Page, query: TaskQuery, withCount: boolean) {
  const spaces = await db.space.findMany({
    where: { id: { in: viewer.spaceIds } },
    select: {
      tasks: { ...query, ...page.query },
      ...(withCount && { _count: { select: { tasks: { where: page.filter } } } }),
    },
  });
  const counts = spaces.map((space) => ('_count' in space ? (space._count?.tasks ?? 0) : 0));
  return { lists: spaces.map((space) => space.tasks), totalCount: counts.reduce((sum, count) => sum + count, 0) };
}

/** Numbers of tasks by project or section; those without any are missing. */
export async function countTasks(
  owner: 'projectId' | 'sectionId',
  ids: readonly string[],
  where: Prisma.TaskWhereInput,
): Promise<Map<string | null, number>> {
  const rows = await db.task.groupBy({
    by: [owner],
    where: { AND: [where, { [owner]: { in: [...ids] } }] },
    _count: { _all: true },
  });
  return new Map(rows.map((row) => [row[owner], row._count._all]));
}

/**
 * Of a writing statement: `target`, those of the tasks that the viewer may touch. It gives them only
 * when it has locked their spaces, and the others named, in the order that all writers keep to: none of
 * them holds a row that another one needs who holds a space.
 */
export const lockedTarget = (viewer: Viewer, ids: string[], spaceIds: string[] = []) => sql`found AS MATERIALIZED (
      SELECT id, space_id FROM tasks WHERE id = ANY (${ids}) AND space_id = ANY (${viewer.spaceIds})
    ), locked AS MATERIALIZED (
      SELECT lock_spaces(ARRAY(SELECT space_id FROM found UNION SELECT unnest(${spaceIds}::text[])))::text
    ), target AS MATERIALIZED (
      SELECT found.id FROM found CROSS JOIN locked
    )`;

// Creating --------------------------------------------------------------------------------------

/** What the input names by id, as far as it can be an id. */
export interface Referred {
  projectId: string | null;
  sectionId: string | null;
  parentId: string | null;
  tagIds: string[];
}

/** Where a new task would go, as far as the viewer may see it; null for what is not there. */
export interface Placement {
  projectId: string | null;
  spaceId: string | null;
  sectionId: string | null;
  parentId: string | null;
  parentProjectId: string | null;
  parentSectionId: string | null;
  /** Levels from the top down to the parent. */
  parentLevel: number | null;
  tagIds: string[];
  /** Sort key of the project's last task. */
  lastKey: string | null;
}

/** Looks up what a new task refers to and locks the project's space, in one statement. */
export async function placeNewTask(tx: Database, viewer: Viewer, referred: Referred): Promise<Placement | undefined> {
  const { projectId, sectionId, parentId, tagIds } = referred;
  const { spaceIds } = viewer;
  const [row] = await tx.$queryRaw<Placement[]>`
    WITH RECURSIVE parent AS (
      SELECT id, project_id, section_id, parent_id FROM tasks WHERE id = ${parentId} AND space_id = ANY (${spaceIds})
    ), ancestor AS (
      SELECT parent_id FROM parent
      UNION ALL SELECT tasks.parent_id FROM tasks JOIN ancestor ON tasks.id = ancestor.parent_id
    )
    SELECT project.id AS "projectId", project.space_id AS "spaceId", section.id AS "sectionId",
      parent.id AS "parentId", parent.project_id AS "parentProjectId", parent.section_id AS "parentSectionId",
      (SELECT count(*)::int FROM ancestor) AS "parentLevel",
      ARRAY(SELECT id FROM tags WHERE id = ANY (${tagIds}) AND space_id = ${viewer.id}) AS "tagIds",
      lock_for_new_task(project.id, ${tagIds.length > 0 ? viewer.id : null}) AS "lastKey"
    FROM (SELECT coalesce(${projectId}, (SELECT project_id FROM parent), ${viewer.inboxId}) AS id) AS wanted
    LEFT JOIN projects AS project ON project.id = wanted.id AND project.space_id = ANY (${spaceIds})
    LEFT JOIN sections AS section ON section.id = ${sectionId} AND section.project_id = project.id
    LEFT JOIN parent ON true`;
  return row;
}

export interface NewTask {
  id: string;
  spaceId: string;
  projectId: string;
  sectionId: string | null;
  parentId: string | null;
  title: string;
  description: string | null;
  priority: string | null;
  dueDate: Date | null;
  dueTime: Date | null;
  isAllDay: boolean | null;
  color: string | null;
  reminder: boolean;
  sortKey: string;
}

/** A day as PostgreSQL's date. */
export const dateValue = (date: Date | null) => sql`${date && formatDate(date)}::date`;

/** Inserts a task with its tags, which are the viewer's, in one statement. */
export async function insertTask(tx: Database, viewer: Viewer, task: NewTask, tagIds: string[]): Promise<void> {
  await tx.$executeRaw`
    WITH task AS (
      INSERT INTO tasks (id, space_id, project_id, section_id, parent_id, title, description, priority, due_date,
        due_time, is_all_day, color, reminder, sort_key)
      VALUES (${task.id}, ${task.spaceId}, ${task.projectId}, ${task.sectionId}, ${task.parentId}, ${task.title},
        ${task.description}, ${task.priority}::"Priority", ${dateValue(task.dueDate)}, ${task.dueTime},
        ${task.isAllDay}, ${task.color}, ${task.reminder}, ${task.sortKey})
      RETURNING id
    )
    INSERT INTO task_tags (task_id, tag_id, space_id)
    SELECT task.id, tag.id, ${viewer.id} FROM task, unnest(${tagIds}::text[]) AS tag (id)`;
}

// Order -----------------------------------------------------------------------------------------

/** The order of tasks among each other: bytewise by sort key, at equal keys by id. */
export const inOrder = [{ sortKey: 'asc' }, { id: 'asc' }] satisfies Prisma.TaskOrderByWithRelationInput[];

/** The tasks of a project in their order. */
export const tasksInOrder = (tx: Database, projectId: string) =>
  tx.task.findMany({ where: { projectId }, select: { id: true, sortKey: true }, orderBy: inOrder });

interface Placed {
  id: string;
  sortKey: string;
}

export const isBefore = (left: Placed, right: Placed) =>
  left.sortKey < right.sortKey || (left.sortKey === right.sortKey && left.id < right.id);

/** Those of the tasks that have project and parent in common with a task. */
export const siblingsOf = (tx: Database, id: string, ids: string[]) => tx.$queryRaw<Placed[]>`
  SELECT sibling.id, sibling.sort_key AS "sortKey"
  FROM tasks JOIN tasks AS sibling
    ON sibling.project_id = tasks.project_id AND sibling.parent_id IS NOT DISTINCT FROM tasks.parent_id
  WHERE tasks.id = ${id} AND sibling.id = ANY (${ids}) AND sibling.id <> ${id}`;

/** Sort key of the task that follows (or precedes) a place in the whole project; null at its end. */
export async function neighbourKey(
  tx: Database,
  projectId: string,
  { id, sortKey }: Placed,
  side: 'after' | 'before',
  except: string,
): Promise<string | null> {
  const operator = side === 'after' ? 'gt' : 'lt';
  const sort = side === 'after' ? 'asc' : 'desc';
  const neighbour = await tx.task.findFirst({
    where: {
      projectId,
      id: { not: except },
      sortKey: { [`${operator}e`]: sortKey },
      OR: [{ sortKey: { [operator]: sortKey } }, { id: { [operator]: id } }],
    },
    select: { sortKey: true },
    orderBy: [{ sortKey: sort }, { id: sort }],
  });
  return neighbour?.sortKey ?? null;
}

/** Gives the tasks new sort keys, evenly spread, in the order of the ids. */
export async function renewSortKeys(tx: Database, idsInOrder: string[]): Promise<string[]> {
  const keys = spreadKeys(idsInOrder.length);
  await tx.$executeRaw`
    UPDATE tasks SET sort_key = fresh.key FROM unnest(${idsInOrder}::text[], ${keys}::text[]) AS fresh (id, key)
    WHERE tasks.id = fresh.id AND tasks.sort_key <> fresh.key`;
  return keys;
}

// Deleting --------------------------------------------------------------------------------------

/** @returns how many of the tasks the viewer could delete; their subtrees go with them, uncounted */
export async function deleteTasks(viewer: Viewer, ids: string[]): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`
    WITH RECURSIVE ${lockedTarget(viewer, ids)}, reached AS (
      SELECT id FROM target
      UNION SELECT tasks.id FROM tasks JOIN reached ON tasks.parent_id = reached.id
    ), deleted AS (
      DELETE FROM tasks WHERE id IN (SELECT id FROM reached)
    )
    SELECT count(*)::int AS count FROM target`;
  return row?.count ?? 0;
}
