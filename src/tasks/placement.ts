import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { isId } from '../platform/ids.ts';
import type { TaskPlacement } from './data.ts';
import { type createTask, maxLevels, type UpdateTaskInput } from './input.ts';
import { findNewParent, type UpdateFacts, type Target, type TaskChanges } from './update-data.ts';

type NewTaskInput = z.output<typeof createTask>;

export const referenceGone = () => invalid('input', 'refers to something that was deleted or moved at the same moment');

const unknownProject = () => invalid('input.projectId', 'must be the id of a project that you can see');
const unknownParent = () => invalid('input.parentId', 'must be the id of a task that you can see');
export const nested = (field: 'recurrence' | 'parentId') =>
  invalid(`input.${field}`, 'must not put a task that repeats above or below another');
const notInParentsProject = () => invalid('input.projectId', 'must be the project of the parent task');
const unknownSection = () => invalid('input.sectionId', 'must be the id of a section of the project');

/** Checks ids without the database. @throws VALIDATION_FAILED */
export function requireFittingIds({ projectId, sectionId }: NewTaskInput): void {
  if (sectionId != null && projectId == null) throw invalid('input.sectionId', 'needs a projectId beside it');
  if (projectId != null && !isId('Project', projectId)) throw unknownProject();
}

/**
 * A subtask goes to its parent's project and section, unless it names the project. Without references, a task goes to
 * the inbox.
 * @returns the project's id
 * @throws VALIDATION_FAILED naming the argument that does not fit
 */
export function requireFittingPlace(wanted: NewTaskInput, placement: TaskPlacement): string {
  const { projectId, parentId } = placement;
  if (wanted.parentId != null && parentId === null) throw unknownParent();
  // The default (the parent's project or the inbox) existed.
  if (projectId === null) throw wanted.projectId == null ? referenceGone() : unknownProject();
  if (parentId !== null && placement.parentProjectId !== projectId) throw notInParentsProject();
  if (parentId !== null && (placement.parentLevel ?? 0) >= maxLevels) {
    throw invalid('input.parentId', `must not be on level ${maxLevels}, the last one`);
  }
  if (wanted.sectionId != null && placement.sectionId === null) throw unknownSection();
  if (placement.isNested) throw nested('recurrence');
  return projectId;
}

/** An absent field is unchanged. Null means the inbox, no section, the top level. */
type MoveInput = Pick<UpdateTaskInput, 'projectId' | 'sectionId' | 'parentId' | 'recurrence'>;

type Move = Pick<TaskChanges, 'place' | 'parentId'>;

/**
 * A subtask stays in its parent's project. A move to another project clears the section.
 * @param wanted as sent by the client
 * @param references the same ids for the database: the inbox by its id, empty if malformed
 * @throws VALIDATION_FAILED naming the argument that does not fit
 */
export async function targetPlace(
  tx: Database,
  viewer: Viewer,
  wanted: MoveInput,
  references: { projectId: string | null; sectionId: string | null },
  facts: UpdateFacts,
): Promise<Move> {
  const { targets, projectSpaceId } = facts;
  if (wanted.projectId !== undefined && projectSpaceId === null) throw unknownProject();
  if (wanted.sectionId != null && facts.sectionProjectId === null) throw unknownSection();
  const [first] = targets;
  if (!first) return {};
  const parent = await newParent(tx, viewer, wanted, first.id);
  const named =
    references.projectId !== null && projectSpaceId !== null
      ? { projectId: references.projectId, spaceId: projectSpaceId }
      : undefined;
  const common = targets.every((target) => target.projectId === first.projectId) ? first : undefined;
  // Named in the update; else the new parent's; else common to all tasks.
  const project = named ?? parent ?? common;
  if (!project) {
    // Tasks of several projects can leave their sections, but cannot share one.
    if (wanted.sectionId !== null) throw invalid('input.sectionId', 'must be a section of the project of every task');
    return { place: { sectionId: null } };
  }
  const { projectId, spaceId } = project;
  if (parent && parent.projectId !== projectId) throw notInParentsProject();
  if (wanted.parentId === undefined) requireParentsIn(projectId, targets);
  if (wanted.sectionId != null && facts.sectionProjectId !== projectId) throw unknownSection();
  const stays = targets.every((target) => target.projectId === projectId);
  const sectionId = sectionFor(wanted, references.sectionId, parent, stays);
  return {
    ...(sectionId !== undefined && { place: { sectionId, ...(!stays && { project: { id: projectId, spaceId } }) } }),
    ...(wanted.parentId !== undefined && { parentId: wanted.parentId }),
  };
}

/** Undefined if the tasks keep their sections. */
function sectionFor(
  wanted: MoveInput,
  sectionId: string | null,
  parent: { sectionId: string | null } | undefined,
  stays: boolean,
): string | null | undefined {
  if (wanted.sectionId !== undefined) return sectionId;
  if (parent && wanted.projectId == null) return parent.sectionId;
  return stays ? undefined : null;
}

function requireParentsIn(projectId: string, targets: Target[]): void {
  const moving = new Set(targets.map((target) => target.id));
  const left = targets.some(
    (target) => target.parentId && target.projectId !== projectId && !moving.has(target.parentId),
  );
  if (left) throw notInParentsProject();
}

async function newParent(tx: Database, viewer: Viewer, { parentId, recurrence }: MoveInput, childId: string) {
  if (parentId == null) return undefined;
  const ends = recurrence === null;
  const parent = isId('Task', parentId) ? await findNewParent(tx, viewer, parentId, childId, ends) : undefined;
  if (!parent) throw unknownParent();
  if (parent.isBelow) throw invalid('input.parentId', 'must not be the task itself or one below it');
  if (parent.level + parent.height > maxLevels) {
    throw invalid('input.parentId', `would put a task below level ${maxLevels}, the last one`);
  }
  if (parent.isNested) throw nested('parentId');
  return parent;
}
