import { invalid } from '@taskgate/base';
import { type Context, type Viewer, signedIn } from '../platform/context.ts';
import { notFound } from '../platform/errors.ts';
import { isId, isIdempotencyKey } from '../platform/ids.ts';
import type { Database } from '../platform/database.ts';
import { roleTooLow } from '../platform/policy.ts';
import { type Role, roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import { settleAssignees } from './assignee-planner.ts';
import { settleComments } from './comment-planner.ts';
import * as data from './data.ts';
import { isShown, withoutTransient } from './diffs.ts';
import { translateSortKeys } from './sort-keys.ts';
import { findEmptied, findRestorable, removeFromTrash } from './trash-data.ts';
import * as planData from './plan-data.ts';
import { planTags } from './tag-planner.ts';
import * as undoData from './undo-data.ts';
import * as undoHistory from './undo-history-data.ts';
import type { Conflict } from './plan.ts';
import { readPresent, type UndoneOperations } from './present.ts';
import { settleRecurrences } from './recurrence-planner.ts';
import { changeOf, planUndo } from './undo-plan.ts';
import { missingRole } from './undo-policy.ts';

/** Result of an undo or its dry run. */
export interface UndoResult {
  /** The new operation. Null for a dry run, or if nothing was applied. */
  operationId: string | null;
  applied: number;
  conflicts: Omit<Conflict, 'isLater'>[];
}

/**
 * Undoes an operation in one transaction, except its conflicts.
 * @param named id, or idempotency key of the caller's mutation
 * @throws NOT_FOUND, VALIDATION_FAILED; FORBIDDEN if the role suffices for no entity
 */
export async function undo(context: Context, named: string, dryRun: boolean): Promise<UndoResult> {
  const viewer = signedIn(context);
  const days = context.services.history.retentionDays;
  if (!isIdempotencyKey(named)) throw notFound('Operation');
  const operationId = isId('Operation', named) ? named : await data.findOperationOf(viewer, named);
  if (operationId === undefined) throw notFound('Operation');
  if (operationId === null) throw nothingToUndo();
  const toLock = await data.findIdsToLock(viewer, [operationId]);
  if (toLock.length === 0) throw notFound('Operation');
  return write(viewer, { needs: roleFor('undo'), ids: toLock.map(({ id }) => id) }, async (tx, caller) => {
    const operation = await data.lockOperation(tx, operationId, days);
    if (!operation || !operation.spaceIds.some((id) => caller.spaceIds.includes(id))) throw notFound('Operation');
    if (operation.undoneBy !== null) throw invalid('operationId', `has been undone by ${operation.undoneBy}`);
    if (!operation.isKept) throw invalid('operationId', 'is too old: what there was before is not kept any more');
    const operations = await undoHistory.findDiffs(tx, caller.spaceIds, [operationId], 'operationId');
    const undone = operations.map((each) => ({ ...each, diffs: withoutTransient(each.diffs) }));
    if (!undone.some(({ diffs }) => diffs.some(isShown))) throw nothingToUndo();
    const restorable = await findRestorable(tx, caller, { operationId }, days);
    const isOutside = operation.spaceIds.some((id) => !caller.spaceIds.includes(id));
    const { ids, missing, ...result } = await apply(tx, caller, {
      undone,
      restorable,
      undoOf: operationId,
      dryRun,
      outside: isOutside ? [outOfSight] : [],
    });
    if (missing) throw roleTooLow(missing);
    const known = new Set(undone.flatMap(({ diffs }) => diffs.map(({ id }) => id)));
    const emptied = (await findEmptied(tx, caller, operationId))
      .filter(({ id }) => !known.has(id))
      .map((entry) => ({ ...entry, field: null, reason: 'was emptied from the trash' }));
    return { ...result, conflicts: [...result.conflicts, ...emptied], applied: ids.size };
  });
}

/** Conflict that covers all parts in spaces that the caller does not see. */
export const outOfSight: Conflict = {
  type: 'TASK',
  id: null,
  field: null,
  reason: 'is in a space that you cannot see',
};

const nothingToUndo = () => invalid('operationId', 'has nothing in it to undo');

interface UndoRequest extends UndoneOperations {
  /** The undone operation, which cannot be undone again. Null if only parts are restored. */
  undoOf: string | null;
  dryRun: boolean;
  /** Conflicts for the parts in spaces that the caller does not see. */
  outside: readonly Conflict[];
}

interface Applied {
  /** Ids of the changed entities. */
  ids: ReadonlySet<string>;
  /** The role that the viewer lacks for every entity. */
  missing: Role | undefined;
}

/** Applies an undo or restore. @param viewer with the locked spaces */
export async function apply(
  tx: Database,
  viewer: Viewer,
  request: UndoRequest,
): Promise<Omit<UndoResult, 'applied'> & Applied> {
  const { undone, undoOf, dryRun, outside } = request;
  const operationIds = undone.map(({ operationId }) => operationId).sort();
  const [oldest = ''] = operationIds;
  const isPlaced = undone.some(({ diffs }) =>
    diffs.some(({ before, kind }) => 'sort_key' in before || kind === 'CREATED'),
  );
  const sortKeyRenewals = isPlaced ? await undoHistory.findSortKeyRenewals(tx, oldest, viewer.spaceIds) : [];
  const present = await readPresent(tx, viewer, request, sortKeyRenewals);
  const diffs = undone.flatMap((operation) => translateSortKeys(operation, sortKeyRenewals, present.rows));
  const lacking = diffs.map((diff) => missingRole(viewer, changeOf(diff, present.rows.get(diff.id))));
  const permitted = diffs.filter((_diff, index) => lacking[index] === undefined);
  const missing = permitted.length === 0 ? lacking[0] : undefined;
  const plan = planUndo(diffs, present);
  await settleRecurrences(tx, plan, present.rows);
  await settleAssignees(tx, plan, present.rows);
  await settleComments(tx, plan);
  const { added, restored, removed } = await planTags(tx, viewer, permitted, plan, present);
  const changed = [...plan.inserts.keys(), ...plan.updates.keys(), ...plan.deletes];
  const tagged = [...added, ...removed, ...restored].map(({ taskId }) => taskId);
  const ids = new Set([...changed, ...tagged]);
  const all = outside.some(({ type }) => plan.conflicts.some((one) => one.id === null && one.type === type))
    ? plan.conflicts
    : [...plan.conflicts, ...outside];
  const conflicts = await explain(tx, viewer, all);
  if (dryRun || ids.size === 0) return { operationId: null, ids, conflicts, missing };
  await planData.setUndoOf(tx, undoOf);
  if (plan.inserts.size > 0) await removeFromTrash(tx, [...plan.inserts.keys()]);
  if (removed.length > 0) await undoData.removeTags(tx, removed);
  const consequences = new Set(diffs.flatMap((diff) => (diff.isConsequence ? [diff.id] : [])));
  await planData.writePlan(tx, operationIds, plan, present.rows, consequences);
  if (restored.length > 0) await undoData.addTags(tx, restored, true);
  if (added.length > 0) await undoData.addTags(tx, added, false);
  const moved = [...plan.updates].filter(([id, row]) => row['space_id'] !== present.rows.get(id)?.['space_id']);
  if (moved.length > 0)
    await undoData.dropForeignTags(
      tx,
      moved.map(([id]) => id),
    );
  return { operationId: await planData.recordUndo(tx, undoOf), ids, conflicts, missing };
}

async function explain(
  tx: Database,
  { spaceIds }: Viewer,
  conflicts: readonly Conflict[],
): Promise<UndoResult['conflicts']> {
  const later = conflicts.flatMap(({ id, isLater }) => (isLater && id !== null ? [id] : []));
  const since =
    later.length > 0 ? await undoHistory.findLastChanges(tx, [...new Set(later)], spaceIds) : new Map<string, Date>();
  return conflicts.map(({ isLater, ...conflict }) => {
    const at = isLater && conflict.id !== null ? since.get(conflict.id) : undefined;
    return at ? { ...conflict, reason: `${conflict.reason}, since ${at.toISOString()}` } : conflict;
  });
}
