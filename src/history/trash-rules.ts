import { afterCommit, logFailure } from '@taskgate/postgres';
import { type Context, notCached, signedIn, type Viewer } from '../platform/context.ts';
import { notFound } from '../platform/errors.ts';
import { parse, referencedIds } from '../platform/input.ts';
import type { Database } from '../platform/database.ts';
import { mapPage, pageOf, type PageArguments, parsePage } from '../platform/pages.ts';
import type { SyncedType } from '../platform/entities.ts';
import { roleTooLow } from '../platform/policy.ts';
import { type Role, roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import * as data from './data.ts';
import { eraseEmptied } from './emptying.ts';
import * as emptyingData from './emptying-data.ts';
import { type EntityDiff, withoutTransient } from './diffs.ts';
import { positions } from './positions.ts';
import { type Operation, operationsOf } from './rules.ts';
import * as trashData from './trash-data.ts';
import { findDiffs, type OperationDiffs } from './undo-history-data.ts';
import { missingRole } from './undo-policy.ts';
import { apply, outOfSight, type UndoResult } from './undo-rules.ts';

/** Top of a deletion, which can be restored. */
export interface TrashEntry extends trashData.TrashRow {
  title: string;
  operation: Operation;
  /** Counts the entity and the entities deleted with it. */
  entities: () => Promise<number>;
}

/** Lists the deleted entities that the caller can restore, newest first. @throws as {@link parsePage} */
export async function listTrash(context: Context, args: PageArguments) {
  const viewer = signedIn(context);
  notCached(context);
  const { size, position } = parsePage(args, positions.deletions);
  const days = context.services.history.retentionDays;
  const rows = await trashData.findTrash(viewer, { after: position, limit: size + 1, days });
  const titles = await trashData.findTitles(viewer, rows);
  const ids = [...new Set(rows.map(({ operationId }) => operationId))];
  const readOperations = operationsOf(viewer, await data.findOperationsById(viewer, ids, days));
  const operations = new Map(readOperations.map((operation) => [operation.id, operation]));
  const counts = entityCounts(
    viewer,
    rows.map(({ id }) => id),
  );
  const page = pageOf(rows, size, ({ operationId, id }) => [operationId, id], args.after);
  return mapPage(page, (row): TrashEntry | undefined => {
    const operation = operations.get(row.operationId);
    const title = titles.get(row.id);
    // The entry was emptied between the two statements.
    return operation && title !== undefined ? { ...row, title, operation, entities: () => counts(row.id) } : undefined;
  });
}

/** Counts for a whole page by one statement, on the first call. */
function entityCounts(viewer: Viewer, tops: readonly string[]) {
  const read = async () =>
    new Map((await trashData.countWithin(viewer, tops)).map(({ id, entities }) => [id, entities]));
  let reading: ReturnType<typeof read> | undefined;
  return async (id: string): Promise<number> => (await (reading ??= read())).get(id) ?? 1;
}

/** Diffs of restored entities, and of tasks that lost a section or tags with them. */
function diffsToRestore(diffs: readonly EntityDiff[], restored: Pick<ReadonlySet<string>, 'has'>): EntityDiff[] {
  return diffs.flatMap((diff) => {
    if (diff.kind === 'DELETED') return restored.has(diff.id) ? [diff] : [];
    const { section_id: section } = diff.before;
    const isFreed = typeof section === 'string' && restored.has(section);
    const tags = diff.tags
      .map((change) => ({ ...change, added: [], removed: change.removed.filter((id) => restored.has(id)) }))
      .filter(({ removed }) => removed.length > 0);
    // The operation's other changes to the task stay.
    const [before, after] = isFreed ? [{ section_id: section }, { section_id: diff.after['section_id'] }] : [{}, {}];
    return isFreed || tags.length > 0 ? [{ ...diff, before, after, tags }] : [];
  });
}

/** Divides operations into groups without a common entity, newest first, so one plan can restore a group. */
function* disjointGroups(operations: readonly OperationDiffs[]): Generator<OperationDiffs[]> {
  let [group, seen]: [OperationDiffs[], Set<string>] = [[], new Set()];
  for (const operation of operations) {
    if (operation.diffs.some(({ id }) => seen.has(id))) {
      yield group;
      [group, seen] = [[], new Set()];
    }
    group.push(operation);
    for (const { id } of operation.diffs) seen.add(id);
  }
  if (group.length > 0) yield group;
}

/**
 * Restores entries of the trash, with all entities that were deleted with them, in one transaction.
 * @throws NOT_FOUND, VALIDATION_FAILED; FORBIDDEN if the role suffices for none
 */
export async function restore(context: Context, rawIds: readonly string[]): Promise<UndoResult> {
  const viewer = signedIn(context);
  const { ids, idsToLock } = await findEntries(context, rawIds);
  const days = context.services.history.retentionDays;
  if (ids.length === 0) return { operationId: null, applied: 0, conflicts: [] };
  return write(viewer, { needs: roleFor('restore'), ids: idsToLock }, async (tx, caller) => {
    const restorable = await trashData.findRestorable(tx, caller, { ids }, days);
    // Another request has restored or emptied it, or the caller has left the workspace.
    if (!ids.every((id) => restorable.has(id))) throw notFound('Entry of the trash');
    const operationIds = [...new Set([...restorable.values()].map(({ operationId }) => operationId))].sort().reverse();
    const operations = await findDiffs(tx, caller.spaceIds, operationIds, 'ids');
    const restored = operations.map((each) => ({ ...each, diffs: diffsToRestore(each.diffs, restorable) }));
    const undoOf = await findUndoneOperation(tx, caller, { operations, restored }, days);
    const outside = (await haveTagsOutside(tx, caller, restored)) ? [outOfSight] : [];
    let last: string | null = null;
    const applied = new Set<string>();
    const missing: (Role | undefined)[] = [];
    const conflicts: UndoResult['conflicts'] = [...outside];
    for (const undone of disjointGroups(restored)) {
      const part = await apply(tx, caller, { undone, restorable, undoOf, dryRun: false, outside: [] });
      last = part.operationId ?? last;
      for (const id of part.ids) applied.add(id);
      conflicts.push(...part.conflicts);
      missing.push(part.missing);
    }
    const [role] = missing;
    if (role && missing.every((each) => each !== undefined)) throw roleTooLow(role);
    return { operationId: last, applied: applied.size, conflicts };
  });
}

/** Finds the operation that a restore undoes as a whole: it was not undone, and all its parts in all spaces return. */
async function findUndoneOperation(
  tx: Database,
  { spaceIds }: Viewer,
  { operations, restored }: Record<'operations' | 'restored', readonly OperationDiffs[]>,
  days: number,
): Promise<string | null> {
  const [[only, ...others], [part]] = [operations, restored];
  if (
    !only ||
    others.length > 0 ||
    withoutTransient(only.diffs).length === 0 ||
    part?.diffs.length !== only.diffs.length
  )
    return null;
  const operation = await data.lockOperation(tx, only.operationId, days);
  const isWhole = operation?.undoneBy === null && operation.spaceIds.every((id) => spaceIds.includes(id));
  return isWhole ? only.operationId : null;
}

/** Whether a restored tag does not return to tasks that the caller does not see. */
async function haveTagsOutside(tx: Database, viewer: Viewer, restored: readonly OperationDiffs[]): Promise<boolean> {
  const ofTags = restored.filter(({ diffs }) => diffs.some(({ type, kind }) => type === 'TAG' && kind === 'DELETED'));
  const ids = ofTags.map(({ operationId }) => operationId);
  return ids.length > 0 && trashData.haveTagsOutside(tx, viewer, ids);
}

/** Finds entries, and the ids to lock. @throws as {@link restore} */
async function findEntries(context: Context, rawIds: readonly string[]) {
  const viewer = signedIn(context);
  const ids = [...new Set(parse(referencedIds, rawIds, 'ids'))];
  if (ids.length === 0) return { entries: [], ids, spaceIds: [], idsToLock: [] };
  const entries = await trashData.findEntries(viewer, ids, context.services.history.retentionDays);
  if (entries.length < ids.length) throw notFound('Entry of the trash');
  const spaceIds = [...new Set(entries.map(({ spaceId }) => spaceId))];
  const toLock = await data.findIdsToLock(viewer, [...new Set(entries.map(({ operationId }) => operationId))]);
  return { entries, ids, spaceIds, idsToLock: [...spaceIds, ...toLock.map(({ id }) => id)] };
}

/** Entries per transaction, which holds the locks of their spaces for some 50 ms. */
const emptiedAtOnce = 1000;

/** Maximum time that a request erases images, in milliseconds. */
const erasingMs = 5000;

/**
 * Deletes entries of the trash permanently. Without ids: the entries of the caller's own space, and the caller's own
 * deletions in workspaces. Entries stay if the role does not suffice.
 * @returns the number of entries
 * @throws as {@link restore}
 */
export async function emptyTrash(context: Context, rawIds: readonly string[] | null | undefined): Promise<number> {
  const viewer = signedIn(context);
  const days = context.services.history.retentionDays;
  const found = rawIds == null ? null : await findEntries(context, rawIds);
  const spaceIds = found?.spaceIds ?? (await emptyingData.findSpacesToEmpty(viewer, days));
  if (spaceIds.length === 0) return 0;
  const from = viewer.spaceIds.toSorted();
  const emptyNext = (before: number) =>
    write(viewer, { needs: roleFor('emptyTrash'), ids: spaceIds }, async (tx, caller) => {
      const lacking = ({ spaceId, type }: { spaceId: string; type: SyncedType }) =>
        missingRole(caller, { action: 'delete', type, spaceIds: [spaceId] });
      const writable = (type: SyncedType) => caller.spaceIds.filter((spaceId) => !lacking({ spaceId, type }));
      const erasable = found?.entries.filter((entry) => !lacking(entry));
      const marked = await emptyingData.markErased(tx, caller, {
        ids: erasable?.map(({ id }) => id) ?? null,
        within: { comments: writable('COMMENT'), others: writable('TASK') },
        from,
        days,
        limit: emptiedAtOnce,
      });
      if (erasable && marked.length < erasable.length) throw notFound('Entry of the trash');
      const wanted = found?.entries ?? caller.spaceIds.map((spaceId) => ({ spaceId, type: 'TASK' as const }));
      const role = wanted.map(lacking).find((each) => each !== undefined);
      if (role && before + marked.length === 0) throw roleTooLow(role);
      return marked.filter(({ isErased }) => isErased).length;
    });
  let count = await emptyNext(0);
  for (let next = count; !found && next === emptiedAtOnce; count += next) next = await emptyNext(count);
  // The entries are gone: a failure only leaves images to the background work.
  await afterCommit(() =>
    eraseEmptied(viewer.connections, from, erasingMs).catch((error: unknown) =>
      logFailure(error, 'emptying of the trash failed'),
    ),
  );
  return count;
}
