import type DataLoader from 'dataloader';
import { column, fromItem, type Selection, type Where, whereClause } from '@taskgate/nested-read';
import { readOnAny } from '@taskgate/postgres';
import { models } from '../platform/models.ts';
import { Prisma } from '../generated/prisma/client.ts';
import type { Context, Viewer } from '../platform/context.ts';
import { loaderOf } from '../platform/loaders.ts';
import { inSpacesOf, spacesOf } from '../platform/policy.ts';
import { type Page, positionFields } from './connection.ts';
import type { ListPosition } from './order.ts';

const { sql } = Prisma;

/**
 * If an index has the order, one statement reads a list per space from it, regardless of the space's size. Otherwise
 * all filtered tasks are sorted, and another statement counts them.
 * @returns lists in the page's order, each with at most one extra entry; count 0 if not selected
 */
export async function listTasks(viewer: Viewer, page: Page, { select }: Selection, withCount: boolean) {
  const { db } = viewer.connections;
  const query = { ...page.query, select: { ...select, ...positionFields(page) } };
  if (page.isIndexed) {
    const count = withCount && { _count: { select: { tasks: { where: page.filter } } } };
    const args = { where: spacesOf(viewer), select: { tasks: query, ...count } };
    const spaces: { tasks: ListPosition[]; _count?: { tasks: number } }[] = await db.space.read(args, viewer);
    const totalCount = spaces.reduce((sum, { _count }) => sum + (_count?.tasks ?? 0), 0);
    return { lists: spaces.map(({ tasks }) => tasks), totalCount };
  }
  const [tasks, totalCount] = await Promise.all([
    db.task.read({ ...query, where: { AND: [inSpacesOf(viewer), query.where] } }, viewer),
    withCount ? countTasks(viewer, page.filter) : 0,
  ]);
  return { lists: [tasks], totalCount };
}

async function countTasks(viewer: Viewer, filter: Where): Promise<number> {
  const task = { model: models.Task, alias: 't' };
  const where = whereClause(task, { AND: [inSpacesOf(viewer), filter] });
  const [row] = await readOnAny<{ count: number }>(
    viewer,
    sql`SELECT count(*)::int AS count FROM ${fromItem(task)} WHERE ${where}`,
  );
  return row?.count ?? 0;
}

interface ListOwner {
  model: 'Task' | 'TaskTag' | 'Comment';
  column: 'projectId' | 'sectionId' | 'tagId' | 'taskId';
}

/** Counts all lists of a level with the same filter by one statement. */
export const countsOf = (context: Context, owner: ListOwner, filter: Where): DataLoader<string, number> =>
  loaderOf(context, ['counts', owner, filter], async (ids: readonly string[]) => {
    const entry = { model: models[owner.model], alias: 't' };
    const where = { AND: [filter, { [owner.column]: { in: [...ids] } }] };
    const rows = await readOnAny<{ owner: string; count: number }>(
      context.viewer ?? context.services,
      sql`
          SELECT ${column(entry, owner.column)} AS owner, count(*)::int AS count FROM ${fromItem(entry)}
          WHERE ${whereClause(entry, where)} GROUP BY 1`,
    );
    const byOwner = new Map(rows.map((row) => [row.owner, row.count]));
    return ids.map((id) => byOwner.get(id) ?? 0);
  });
