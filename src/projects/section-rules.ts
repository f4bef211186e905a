import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { mapTakenId } from '@taskgate/postgres';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { isId, onlyIds } from '../platform/ids.ts';
import { isEmpty, parse } from '../platform/input.ts';
import { keyBetween } from '../platform/sort-key.ts';
import { requireVisible } from '../platform/visible-entities.ts';
import { write } from '../platform/write.ts';
import { moveTasksOfSection, renewSortKeys } from '../tasks/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { keyAt, type Neighbours, placeAmong } from './section-order.ts';

/**
 * Appends a section to a project (contract, 4.3).
 * @throws VALIDATION_FAILED; NOT_FOUND for the project
 */
export async function createSection(
  viewer: Viewer,
  projectId: string,
  rawInput: z.input<typeof input.createSection>,
): Promise<string> {
  const section = parse(input.createSection, rawInput);
  if (!isId('Project', projectId)) throw notFound('Project');
  await write(viewer, { ids: [projectId] }, async (tx, caller) => {
    const project = orNotFound(await data.placeOfNewSection(tx, caller, projectId), 'Project');
    const sortKey = keyBetween(project.lastKey, null);
    if (sortKey === null) throw new Error(`no sort key comes after ${project.lastKey}`);
    await data.createSection(tx, { ...section, projectId, spaceId: project.spaceId, sortKey });
  }).catch(mapTakenId());
  return section.id;
}

/**
 * Renames a section, or moves it with its tasks, by default to the end (contract, 4.3, and contract decisions, `section
 * move`). An empty input changes nothing.
 * @throws NOT_FOUND, also if the section is not in `inProjectId`; VALIDATION_FAILED
 */
export async function updateSection(
  viewer: Viewer,
  id: string,
  rawInput: z.input<typeof input.updateSection>,
): Promise<string> {
  const { projectId, inProjectId, prevIndex, nextIndex, ...fields } = parse(input.updateSection, rawInput);
  const neighbours = { prevIndex, nextIndex };
  const mayMove = [projectId ?? undefined, prevIndex, nextIndex].some((value) => value !== undefined);
  const change = async (tx: Database, caller: Viewer) => {
    const current = await placeOf(tx, caller, id, inProjectId);
    const target = projectId == null ? current : await newProject(tx, caller, projectId);
    const move = mayMove ? await makeRoom(tx, id, target.projectId, neighbours) : null;
    const changes = { ...fields, ...(move?.leaves && target), ...(move && { sortKey: move.sortKey }) };
    if (isEmpty(changes)) return;
    await data.updateSection(tx, id, changes);
    if (move?.leaves) await moveTasksOfSection(tx, id, target);
  };
  const ids = [...onlyIds('Section', [id]), ...onlyIds('Project', [projectId ?? ''])];
  await write(viewer, { ids, checkFirst: () => requireVisible('Section', viewer, id) }, change);
  return id;
}

async function placeOf(tx: Database, viewer: Viewer, id: string, inProjectId: string | null | undefined) {
  const place = isId('Section', id) ? await data.findPlaceOfSection(tx, viewer, id) : null;
  if (!place || (inProjectId ?? place.projectId) !== place.projectId) throw notFound('Section');
  return place;
}

async function newProject(tx: Database, viewer: Viewer, projectId: string) {
  const project = isId('Project', projectId) ? await data.findPlaceOfProject(tx, viewer, projectId) : null;
  if (!project) throw invalid('projectId', 'must be the id of a project');
  return { projectId, ...project };
}

/** Gives the other sections new keys if none fits. Null if the section stays. */
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
  const withRoom = others.map((other) => other.id).toSpliced(place, 0, '');
  const renewed = await renewSortKeys(tx, 'sections', withRoom);
  return { leaves, sortKey: renewed[place] ?? '' };
}

/**
 * Deletes a section. Its tasks stay in the project (contract, 4.3).
 * @throws NOT_FOUND, also if it is not in `inProjectId`
 */
export async function deleteSection(viewer: Viewer, id: string, inProjectId: string | null | undefined): Promise<void> {
  await write(viewer, { ids: onlyIds('Section', [id]) }, async (tx, caller) => {
    await placeOf(tx, caller, id, inProjectId);
    await data.deleteSection(tx, id);
  });
}
