import type { Viewer } from '../platform/context.ts';
import { syncedTypes } from '../platform/entities.ts';
import type { Database } from '../platform/database.ts';
import { type EntityDiff, fieldChanges, isSame, referenceTo } from './diffs.ts';
import { placeColumns } from './place-planner.ts';
import type { Present } from './plan.ts';
import type { SortKeyRenewal } from './sort-keys.ts';
import { findSeenDeletions, type Restorable } from './trash-data.ts';
import * as undoData from './undo-data.ts';
import * as undoHistory from './undo-history-data.ts';
import { whyNotUndo } from './undo-policy.ts';

export interface UndoneOperations {
  /** Operations that share no entity. If one of them has created entities, it is the only one. */
  undone: readonly undoHistory.OperationDiffs[];
  /** Deleted entities that may be restored, because these operations are their last deletion. */
  restorable: Restorable;
}

const texts = (values: readonly unknown[]) => values.filter((value) => typeof value === 'string');

/** Reads the present state of the changed entities. Call it under the locks of the undo. */
export async function readPresent(
  tx: Database,
  viewer: Viewer,
  { undone, restorable }: UndoneOperations,
  sortKeyRenewals: readonly SortKeyRenewal[],
): Promise<Present> {
  const diffs = undone.flatMap((each) => each.diffs);
  const operationId = undone[0]?.operationId ?? '';
  const { spaceIds } = viewer;
  const of = (type: string) => diffs.filter((diff) => diff.type === type);
  const moves = ({ before }: EntityDiff) => 'project_id' in before || 'parent_id' in before;
  const updated = (type: string) => of(type).filter((diff) => diff.kind === 'UPDATED' && moves(diff));
  const befores = (column: string) => [...new Set(texts(diffs.map(({ before }) => before[column])))];
  const idsOf = (type: string) => of(type).map(({ id }) => id);
  // An entity from another space was not created: it stays.
  const created = diffs
    .filter(({ kind, isPartlyVisible }) => kind === 'CREATED' && !isPartlyVisible)
    .map(({ id }) => id);
  const later = created.length > 0 ? await undoHistory.findLater(tx, created, operationId, spaceIds) : [];
  const changed = [...diffs, ...later].filter(({ kind }) => kind === 'UPDATED');
  const present = await undoData.findPresent(tx, {
    ids: Object.fromEntries(
      syncedTypes.map((type) => [type, [...idsOf(type), ...befores(referenceTo(type))]]),
    ) as undoData.Needed['ids'],
    withBelow: updated('TASK').map(({ id }) => id),
    withTasks: updated('SECTION').map(({ id }) => id),
    withAbove: befores('parent_id'),
    columns: new Set([
      'is_all_day',
      'due_time',
      'completed',
      'recurrence',
      ...changed.flatMap(({ before }) => Object.keys(before)),
    ]),
  });
  const gone = diffs.filter(({ id, kind }) => kind === 'DELETED' && !present.rows.has(id) && !restorable.has(id));
  const deletedAgain = await findSeenDeletions(
    tx,
    viewer,
    gone.map(({ id }) => id),
  );
  const isForeign = (diff: EntityDiff) => diff.kind === 'CREATED' && diff.authorId !== viewer.id;
  const foreignComments = of('COMMENT').filter(isForeign);
  const broughtBack = await undoHistory.findBroughtBack(
    tx,
    foreignComments.map(({ id }) => id),
    operationId,
  );
  return {
    ...present,
    spaceIds,
    restorable,
    deletedAgain,
    refuse: (part) => {
      const goesWithTask = created.includes(String(present.rows.get(part.id)?.['task_id']));
      const isWithin = goesWithTask || restorable.get(part.id)?.isWithin === true;
      return whyNotUndo(viewer, part, { isWithin, wasBroughtBack: broughtBack.has(part.id) });
    },
    fallback: await undoData.findFallbacks(tx, spaceIds, created),
    tagNames: await undoData.findTagNames(tx, viewer.id, texts(of('TAG').map(({ before }) => before['name']))),
    builtUpon: await findBuiltUpon(tx, viewer, { diffs, operationId, created, later, sortKeyRenewals }, present.rows),
  };
}

interface CreatedEntities extends undoHistory.OperationDiffs {
  created: readonly string[];
  later: readonly EntityDiff[];
  sortKeyRenewals: readonly SortKeyRenewal[];
}

/** Finds created entities that other operations have edited or put something into, and the created ones around them. */
async function findBuiltUpon(
  tx: Database,
  viewer: Viewer,
  { diffs, operationId, created, later, sortKeyRenewals }: CreatedEntities,
  rows: Present['rows'],
): Promise<Set<string>> {
  if (created.length === 0) return new Set();
  const own = new Set(created);
  // An entity that the operation moved into a created one moves back, if it is still there.
  const leaving = diffs.filter(({ id, kind, after }) => {
    const put = placeColumns.filter((column) => column in after);
    const isStill = put.every((column) => isSame(column, after[column], rows.get(id)?.[column]));
    return kind === 'UPDATED' && isStill && put.some((column) => own.has(String(after[column])));
  });
  const without = [...created, ...leaving.map(({ id }) => id)];
  const built = (await undoData.findBuiltUpon(tx, { created, without }, operationId)).map(({ id }) => id);
  const renewed = new Set(sortKeyRenewals.flatMap(({ changes }) => changes.map(({ id }) => id)));
  for (const { id, before } of later) if (renewed.has(id)) delete before['sort_key'];
  const edited = later.filter((diff) => own.has(diff.id) && isEdited(diff, rows.get(diff.id), viewer.id));
  const builtUpon = new Set([...built, ...edited.map(({ id }) => id)]);
  const queue = [...builtUpon];
  for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
    const row = rows.get(id);
    const around = texts([row?.['task_id'], row?.['parent_id'], row?.['section_id'], row?.['project_id']]);
    for (const each of around.filter((each) => own.has(each) && !builtUpon.has(each))) {
      builtUpon.add(each);
      queue.push(each);
    }
  }
  return builtUpon;
}

function isEdited(diff: EntityDiff, now: Record<string, unknown> | undefined, viewerId: string): boolean {
  if (diff.isPartlyVisible) return true;
  if (Object.entries(diff.before).some(([column, was]) => !isSame(column, was, now?.[column]))) return true;
  const tags = fieldChanges({ ...diff, before: {} }, viewerId)[0];
  const sorted = (list: unknown) => JSON.stringify([...(list as string[])].sort());
  return tags !== undefined && sorted(tags.before) !== sorted(tags.after);
}
