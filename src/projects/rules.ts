import type { z } from 'zod';
import type { Selection } from '@taskgate/nested-read';
import { mapTakenId } from '@taskgate/postgres';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { forbidden, notFound } from '../platform/errors.ts';
import { isId, newId } from '../platform/ids.ts';
import { parse, parseChanges } from '../platform/input.ts';
import { requirePersonalSpace } from '../platform/policy.ts';
import { write } from '../platform/write.ts';
import { isWorkspaceOf } from '../workspaces/policy.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { inboxStays, mayDeleteProject } from './policy.ts';
import { slugOf } from './slug.ts';

/** Contract decisions, `inbox`. */
export async function createInbox(tx: Database, userId: string): Promise<void> {
  const id = newId('Project');
  await data.createProject(tx, { id, spaceId: userId, name: 'Inbox', slug: slugOf('Inbox', id), isDefault: true });
}

/**
 * Lists the inbox first, then by creation (contract, 4.3).
 * @throws VALIDATION_FAILED
 */
export const findProjects = (viewer: Viewer, rawFilter: z.input<typeof input.projectFilter>, query: Selection) =>
  data.findProjects(viewer, parse(input.projectFilter, rawFilter), query);

/**
 * Creates a project, by default in the personal space (contract, 4.3).
 * @throws VALIDATION_FAILED; FORBIDDEN if the viewer or the credential cannot access the space
 */
export async function createProject(viewer: Viewer, rawInput: z.input<typeof input.createProject>): Promise<string> {
  const { workspaceId, ...project } = parse(input.createProject, rawInput);
  const requireMember = (caller: Viewer) => {
    if (typeof workspaceId === 'string' && !isWorkspaceOf(caller, workspaceId)) {
      throw forbidden('Only members of a workspace may create projects in it');
    }
  };
  requireMember(viewer);
  if (workspaceId == null) requirePersonalSpace(viewer);
  const spaceId = workspaceId ?? viewer.id;
  await write(viewer, { ids: [spaceId] }, async (tx, caller) => {
    requireMember(caller);
    await data.createProject(tx, { ...project, spaceId, slug: slugOf(project.name, project.id) });
  }).catch(mapTakenId());
  return project.id;
}

/**
 * Changes a project. The slug follows the name (contract, 4.3).
 * @throws VALIDATION_FAILED, also without changes; NOT_FOUND
 */
export async function updateProject(
  viewer: Viewer,
  id: string,
  rawInput: z.input<typeof input.updateProject>,
): Promise<string> {
  const fields = parseChanges(input.updateProject, rawInput);
  const changes = { ...fields, ...(fields.name && { slug: slugOf(fields.name, id) }) };
  const updated =
    isId('Project', id) &&
    (await write(viewer, { ids: [id] }, (tx, caller) => data.updateProject(tx, caller, id, changes)));
  if (!updated) throw notFound('Project');
  return id;
}

/**
 * Deletes a project with its sections and tasks (contract, 4.3).
 * @throws NOT_FOUND; FORBIDDEN for the inbox
 */
export async function deleteProject(viewer: Viewer, id: string): Promise<void> {
  if (!mayDeleteProject(viewer, id)) throw forbidden(inboxStays);
  const deleted =
    isId('Project', id) && (await write(viewer, { ids: [id] }, (tx, caller) => data.deleteProject(tx, caller, id)));
  if (!deleted) throw notFound('Project');
}
