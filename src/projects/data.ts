import type { z } from 'zod';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import { type Database, db } from '../kernel/database.ts';
import { isId } from '../kernel/ids.ts';
import { inSpacesOf } from '../kernel/policy.ts';
import { containing } from '../kernel/search.ts';
import type { projectFilter } from './input.ts';

export type ProjectQuery = { select?: Prisma.ProjectSelect; include?: Prisma.ProjectInclude };

/** The inbox first, then by creation. */
export const findProjects = (
  viewer: Viewer,
  { search, personal }: z.output<typeof projectFilter>,
  query: ProjectQuery,
) =>
  db.project.findMany({
    ...query,
    where: {
      ...inSpacesOf(viewer),
      ...(typeof personal === 'boolean' && { AND: { spaceId: personal ? viewer.id : { not: viewer.id } } }),
      ...(search && { name: containing(search) }),
    },
    orderBy: [{ isDefault: 'desc' }, { createdAt: 'asc' }, { id: 'asc' }],
  });

export const findProject = async (viewer: Viewer, id: string, query: ProjectQuery) =>
  isId('Project', id) ? db.project.findUnique({ ...query, where: { id, ...inSpacesOf(viewer) } }) : null;

export const createProject = (database: Database, data: Prisma.ProjectUncheckedCreateInput) =>
  database.project.create({ data, select: { id: true } });

/**
 * Locks the space of a project, before any of its rows: writers that all begin there never wait for
 * each other in a circle. A delete may have come between, so that the write that follows counts.
 * @returns whether there is such a project that the viewer may see
 */
export async function lockProject(tx: Database, viewer: Viewer, id: string): Promise<boolean> {
  if (!isId('Project', id)) return false;
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT lock_spaces(ARRAY[space_id])::text FROM projects WHERE id = ${id} AND space_id = ANY (${viewer.spaceIds})`;
  return rows.length > 0;
}

/** @returns whether the project was there */
export async function updateProject(tx: Database, id: string, data: Prisma.ProjectUpdateManyMutationInput) {
  return (await tx.project.updateMany({ where: { id }, data })).count > 0;
}

/** Deletes the project; its sections and tasks go by cascade. @returns whether it was there */
export async function deleteProject(tx: Database, id: string): Promise<boolean> {
  return (await tx.project.deleteMany({ where: { id } })).count > 0;
}
