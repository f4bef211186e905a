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

export const findProjectsById = (viewer: Viewer, ids: string[], query: ProjectQuery) =>
  db.project.findMany({ ...query, where: { id: { in: ids }, ...inSpacesOf(viewer) } });

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

// Sections --------------------------------------------------------------------------------------

type SectionQuery = { select?: Prisma.SectionSelect; include?: Prisma.SectionInclude };

export const findSectionsById = (viewer: Viewer, ids: string[], query: SectionQuery) =>
  db.section.findMany({ ...query, where: { id: { in: ids }, ...inSpacesOf(viewer) } });

export const findSection = async (viewer: Viewer, id: string, query: SectionQuery) =>
  isId('Section', id) ? db.section.findUnique({ ...query, where: { id, ...inSpacesOf(viewer) } }) : null;

/**
 * Locks the project's space and reads what a new section needs to know, in one statement.
 * @returns null where there is no such project that the viewer may see
 */
export async function lockForNewSection(tx: Database, viewer: Viewer, projectId: string) {
  if (!isId('Project', projectId)) return null;
  const [row] = await tx.$queryRaw<{ spaceId: string; lastKey: string | null }[]>`
    SELECT space_id AS "spaceId", lock_for_new_section(id) AS "lastKey"
    FROM projects
    WHERE id = ${projectId} AND space_id = ANY (${viewer.spaceIds})`;
  return row ?? null;
}

export const createSection = (tx: Database, data: Prisma.SectionUncheckedCreateInput) =>
  tx.section.create({ data, select: { id: true } });

/** Where a section was seen before its space was locked, and the project that it is to be in. */
export interface LockedSection {
  projectId: string;
  /** Null where there is no such project that the viewer may see. */
  target: { projectId: string; spaceId: string } | null;
}

/**
 * Locks the spaces of a section and of the project that it is to be in, before any of their rows:
 * writers that all begin there never wait for each other in a circle. Another writer may have come
 * between, so that what is read after this counts.
 * @param targetId the project that it is to be in; undefined: the one that it is in
 * @returns null where there is no such section that the viewer may see
 */
export async function lockSection(
  tx: Database,
  viewer: Viewer,
  id: string,
  targetId?: string,
): Promise<LockedSection | null> {
  if (!isId('Section', id)) return null;
  // What cannot be an id is not handed to the database; '' is the id of nothing.
  const wanted = targetId === undefined || isId('Project', targetId) ? targetId : '';
  const [row] = await tx.$queryRaw<LockedSection[]>`
    SELECT sections.project_id AS "projectId",
      CASE WHEN target.id IS NOT NULL
        THEN jsonb_build_object('projectId', target.id, 'spaceId', target.space_id) END AS target,
      lock_spaces(ARRAY[sections.space_id, target.space_id])::text
    FROM sections
    LEFT JOIN projects target
      ON target.id = coalesce(${wanted ?? null}, sections.project_id) AND target.space_id = ANY (${viewer.spaceIds})
    WHERE sections.id = ${id} AND sections.space_id = ANY (${viewer.spaceIds})`;
  return row ?? null;
}

/** The section, if it is there, and all sections of the project, in order. */
export const findWithProject = (tx: Database, id: string, projectId: string) =>
  tx.section.findMany({
    where: { OR: [{ id }, { projectId }] },
    select: { id: true, projectId: true, sortKey: true },
    orderBy: { sortKey: 'asc' },
  });

/** @returns whether the section was there, in that project if one is given */
export async function updateSection(
  tx: Database,
  where: { id: string; projectId: string | undefined },
  data: Prisma.SectionUncheckedUpdateManyInput,
): Promise<boolean> {
  return (await tx.section.updateMany({ where, data })).count > 0;
}

/** Gives sections new sort keys, in one statement. */
export async function setSortKeys(tx: Database, ids: string[], keys: string[]): Promise<void> {
  await tx.$executeRaw`
    UPDATE sections SET sort_key = given.key
    FROM unnest(${ids}::text[], ${keys}::text[]) AS given (id, key)
    WHERE sections.id = given.id`;
}

/** Deletes the section; its tasks stay, without a section. @returns whether it was there, in that project */
export async function deleteSection(tx: Database, where: { id: string; projectId: string }): Promise<boolean> {
  return (await tx.section.deleteMany({ where })).count > 0;
}
