import type { z } from 'zod';
import type { Viewer } from '../kernel/context.ts';
import type { Database } from '../kernel/database.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { parse } from '../kernel/input.ts';
import { refused } from '../kernel/refusals.ts';
import { keyBetween } from '../kernel/sort-key.ts';
import { transaction } from '../kernel/transaction.ts';
import { moveTasksOfSection } from '../tasks/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { keyAt, type Neighbours, placeAmong, respread } from './section-order.ts';

/**
 * Makes a section, the last one of its project (contract, 4.3).
 * @returns the section's id
 * @throws VALIDATION_FAILED; NOT_FOUND for the project
 */
export async function createSection(viewer: Viewer, projectId: string, rawName: unknown): Promise<string> {
  const { name } = parse(input.sectionName, { name: rawName });
  const id = newId('Section');
  await transaction(viewer.spaceIds, async (tx) => {
    const project = await data.lockForNewSection(tx, viewer, projectId);
    if (!project) throw notFound('Project');
    const sortKey = keyBetween(project.lastKey, null);
    if (sortKey === null) throw new Error(`no sort key comes after ${project.lastKey}`);
    await data.createSection(tx, { id, projectId, spaceId: project.spaceId, name, sortKey });
  }).catch(refused('missingReference', () => notFound('Project')));
  return id;
}

/**
 * Renames a section, moves it within its project, or to another one together with its tasks: there it
 * becomes the last one where no neighbour is given (contract, 4.3, and contract decisions, `section move`).
 * Nothing given changes nothing.
 * @throws NOT_FOUND, also where the section is not in the project `inProjectId`; VALIDATION_FAILED, at
 * `projectId` for an unknown project, at `prevIndex` or `nextIndex` for neighbours that do not fit
 */
export async function updateSection(
  viewer: Viewer,
  id: string,
  rawInput: z.input<typeof input.updateSection>,
): Promise<void> {
  const { name, projectId, inProjectId, ...neighbours } = parse(input.updateSection, rawInput);
  const mayMove = [projectId ?? undefined, neighbours.prevIndex, neighbours.nextIndex].some(
    (given) => given !== undefined,
  );
  await transaction(viewer.spaceIds, async (tx) => {
    const seen = await data.lockSection(tx, viewer, id, projectId ?? undefined);
    if (!seen || (inProjectId ?? seen.projectId) !== seen.projectId) throw notFound('Section');
    const { target } = seen;
    if (!target) throw unknownProject();
    const move = mayMove ? await makeRoom(tx, id, target.projectId, neighbours) : null;
    const changes = {
      ...(name && { name }),
      ...(move?.leaves && target),
      ...(move && { sortKey: move.sortKey }),
    };
    if (Object.keys(changes).length === 0) return;
    // Without a target the neighbours are those of the project that the section was seen in.
    const from = inProjectId ?? (projectId ? undefined : seen.projectId);
    if (!(await data.updateSection(tx, { id, projectId: from }, changes))) throw notFound('Section');
    if (move?.leaves) await moveTasksOfSection(tx, id, target);
  }).catch(refused('missingReference', unknownProject));
}

const unknownProject = () => invalid('projectId', 'must be the id of a project');

/**
 * Finds the sort key for a section's new place in a project; the others are given new ones where none fits.
 * @returns null where the section stands there already
 */
async function makeRoom(tx: Database, id: string, projectId: string, neighbours: Neighbours) {
  const rows = await data.findWithProject(tx, id, projectId);
  const section = rows.find((row) => row.id === id);
  if (!section) throw notFound('Section');
  const leaves = section.projectId !== projectId;
  if (!leaves && neighbours.prevIndex === undefined && neighbours.nextIndex === undefined) return null;
  const own = leaves ? null : section.sortKey;
  const others = rows.filter((row) => row !== section);
  const keys = others.map((other) => other.sortKey);
  const place = placeAmong(keys, own, neighbours);
  const fitting = keyAt(keys, place, own);
  if (fitting !== null) return fitting === own ? null : { leaves, sortKey: fitting };
  const spread = respread(others.length, place);
  await data.setSortKeys(
    tx,
    others.map((other) => other.id),
    spread.others,
  );
  return { leaves, sortKey: spread.key };
}

/**
 * Deletes a section; its tasks stay in the project, without a section (contract, 4.3).
 * @throws NOT_FOUND, also where the section is not in the project `inProjectId`
 */
export async function deleteSection(viewer: Viewer, id: string, inProjectId: string | null | undefined): Promise<void> {
  const deleted = await transaction(viewer.spaceIds, async (tx) => {
    const section = await data.lockSection(tx, viewer, id);
    if (!section || (inProjectId ?? section.projectId) !== section.projectId) return false;
    return data.deleteSection(tx, { id, projectId: section.projectId });
  });
  if (!deleted) throw notFound('Section');
}
