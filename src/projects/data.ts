import type { z } from 'zod';
import type { Selection } from '@taskgate/nested-read';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { containing } from '../platform/search.ts';
import type { projectFilter } from './input.ts';

export const findProjects = (
  viewer: Viewer,
  { search, personal }: z.output<typeof projectFilter>,
  { select = {} }: Selection,
) => {
  const where = {
    ...inSpacesOf(viewer),
    ...(typeof personal === 'boolean' && { AND: { spaceId: personal ? viewer.id : { not: viewer.id } } }),
    ...(search && { name: containing(search) }),
  };
  return viewer.connections.db.project.read(
    { select, where, orderBy: [{ isDefault: 'desc' }, { createdAt: 'asc' }, { id: 'asc' }] },
    viewer,
  );
};

export const createProject = (database: Database, data: Prisma.ProjectUncheckedCreateInput) =>
  database.project.create({ data, select: { id: true } });

export async function updateProject(
  tx: Database,
  viewer: Viewer,
  id: string,
  data: Prisma.ProjectUpdateManyMutationInput,
): Promise<boolean> {
  return (await tx.project.updateMany({ where: { id, ...inSpacesOf(viewer) }, data })).count > 0;
}

export async function deleteProject(tx: Database, viewer: Viewer, id: string): Promise<boolean> {
  return (await tx.project.deleteMany({ where: { id, ...inSpacesOf(viewer) } })).count > 0;
}

export async function placeOfNewSection(tx: Database, viewer: Viewer, projectId: string) {
  const project = await tx.project.findUnique({
    where: { id: projectId, ...inSpacesOf(viewer) },
    select: { spaceId: true, sections: { select: { sortKey: true }, orderBy: { sortKey: 'desc' }, take: 1 } },
  });
  return project && { spaceId: project.spaceId, lastKey: project.sections[0]?.sortKey ?? null };
}

export const createSection = (tx: Database, data: Prisma.SectionUncheckedCreateInput) =>
  tx.section.create({ data, select: { id: true } });

export const findPlaceOfSection = (tx: Database, viewer: Viewer, id: string) =>
  tx.section.findUnique({ where: { id, ...inSpacesOf(viewer) }, select: { projectId: true, spaceId: true } });

export const findPlaceOfProject = (tx: Database, viewer: Viewer, id: string) =>
  tx.project.findUnique({ where: { id, ...inSpacesOf(viewer) }, select: { spaceId: true } });

export const findWithProject = (tx: Database, id: string, projectId: string) =>
  tx.section.findMany({
    where: { OR: [{ id }, { projectId }] },
    select: { id: true, projectId: true, sortKey: true },
    orderBy: { sortKey: 'asc' },
  });

export const updateSection = (tx: Database, id: string, data: Prisma.SectionUncheckedUpdateInput) =>
  tx.section.update({ where: { id }, data, select: { id: true } });

/** Deletes a section. Its tasks stay. */
export const deleteSection = (tx: Database, id: string) => tx.section.delete({ where: { id }, select: { id: true } });
