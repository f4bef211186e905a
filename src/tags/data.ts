import type { z } from 'zod';
import type { Selection } from '@taskgate/nested-read';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { onlyIds } from '../platform/ids.ts';
import { containing } from '../platform/search.ts';
import type { tagFilter } from './input.ts';
import { tagsOf } from './policy.ts';

/** The column's collation ignores case. */
export const findTags = (viewer: Viewer, { search, ids }: z.output<typeof tagFilter>, { select = {} }: Selection) => {
  const where = {
    ...tagsOf(viewer),
    ...(search && { name: containing(search) }),
    ...(ids && { id: { in: onlyIds('Tag', ids) } }),
  };
  return viewer.connections.db.tag.read({ select, where, orderBy: [{ name: 'asc' }, { id: 'asc' }] }, viewer);
};

export const countTags = (viewer: Viewer) => viewer.connections.db.tag.count({ where: tagsOf(viewer) });

export const createTag = (tx: Database, data: Prisma.TagUncheckedCreateInput) =>
  tx.tag.create({ data, select: { id: true } });

export async function updateTag(
  tx: Database,
  viewer: Viewer,
  id: string,
  data: Prisma.TagUpdateManyMutationInput,
): Promise<boolean> {
  return (await tx.tag.updateMany({ where: { id, ...tagsOf(viewer) }, data })).count > 0;
}

/** The cascade takes them off tasks. @returns the ids that existed */
export async function deleteTags(tx: Database, viewer: Viewer, ids: string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    DELETE FROM tags WHERE space_id = ${tagsOf(viewer).spaceId} AND id = ANY (${ids}) RETURNING id`;
  return rows.map(({ id }) => id);
}

export const untagSpace = (tx: Database, userId: string, spaceId: string): Promise<number> => tx.$executeRaw`
  DELETE FROM task_tags USING tasks
  WHERE task_tags.space_id = ${userId} AND tasks.id = task_tags.task_id AND tasks.space_id = ${spaceId}`;
