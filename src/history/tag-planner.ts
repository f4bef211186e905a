import type { Database } from '../platform/database.ts';
import type { Viewer } from '../platform/context.ts';
import { type EntityDiff, without } from './diffs.ts';
import type { Plan, Present } from './plan.ts';
import * as undoData from './undo-data.ts';

const pairOf = ({ taskId, tagId }: undoData.TaskTag) => `${taskId} ${tagId}`;

/**
 * Adds a conflict for each task that lacks own tags of the caller, because they were deleted. A tag of the same operation has
 * its own conflict, and the tags of others are theirs.
 */
function reportGone(
  { id: viewerId, spaceIds }: Viewer,
  wanted: readonly (undoData.TaskTag & { space: string })[],
  { diffs, plan, existing }: { diffs: readonly EntityDiff[]; plan: Plan; existing: { has(tagId: string): boolean } },
): void {
  const own = new Set(diffs.map(({ id }) => id));
  const lacking = wanted.filter(
    ({ tagId, owner, space }) =>
      owner === viewerId &&
      spaceIds.includes(space) &&
      !own.has(tagId) &&
      !plan.inserts.has(tagId) &&
      !existing.has(tagId),
  );
  for (const id of new Set(lacking.map(({ taskId }) => taskId)))
    plan.conflicts.push({ type: 'TASK', id, field: 'tags', reason: 'a tag of it is gone' });
}

/** Plans the caller's own tags, and every member's tags on restored tasks. */
export async function planTags(
  tx: Database,
  viewer: Viewer,
  diffs: readonly EntityDiff[],
  plan: Plan,
  present: Present,
) {
  const wanted: (undoData.TaskTag & { space: string; isRestored: boolean })[] = [];
  const unwanted: undoData.TaskTag[] = [];
  for (const { id, tags } of diffs) {
    const now = present.rows.get(id);
    const row = plan.inserts.get(id) ?? plan.updates.get(id) ?? now;
    if (!row || plan.deletes.has(id)) continue;
    const isBack = row['space_id'] !== now?.['space_id'];
    for (const { owner, added, removed, isHidden } of tags) {
      if (isHidden ? !isBack : owner !== viewer.id) continue;
      const entry = { taskId: id, owner, space: String(row['space_id']), isRestored: isHidden };
      wanted.push(...without(removed, added).map((tagId) => ({ ...entry, tagId })));
      if (!isHidden) unwanted.push(...added.map((tagId) => ({ taskId: id, owner, tagId })));
    }
  }
  const unwantedPairs = new Set(unwanted.map(pairOf));
  const open = wanted.filter((each) => !unwantedPairs.has(pairOf(each)));
  const existing = await undoData.findTags(tx, open);
  reportGone(viewer, open, { diffs, plan, existing });
  const possible = open.filter(({ tagId, owner, space }) => {
    const tag = existing.get(tagId);
    return plan.inserts.has(tagId) || (tag?.owner === owner && tag.spaces.includes(space));
  });
  // A restored task has no tags yet.
  const doubtful = [...unwanted, ...possible.filter(({ taskId }) => present.rows.has(taskId))];
  const there = new Set((await undoData.findPresentTags(tx, doubtful)).map(pairOf));
  const missing = possible.filter((each) => !there.has(pairOf(each)));
  return {
    added: missing.filter(({ isRestored }) => !isRestored),
    restored: missing.filter(({ isRestored }) => isRestored),
    removed: unwanted.filter((each) => there.has(pairOf(each))),
  };
}
