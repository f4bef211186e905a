import { groupBy, invalid } from '@taskgate/base';
import { isOwnOrAdministered } from '../comments/policy.ts';
import { type Context, notCached, signedIn, type Viewer } from '../platform/context.ts';
import { loaderOf } from '../platform/loaders.ts';
import { isId } from '../platform/ids.ts';
import { mapPage, pageOf, type PageArguments, parsePage } from '../platform/pages.ts';
import * as data from './data.ts';
import { type EntityDiff, fieldChanges, type FieldChange, foldDiffs } from './diffs.ts';
import { positions } from './positions.ts';
import { projectsNamed, summarize } from './summary.ts';

export { undo, type UndoResult } from './undo-rules.ts';

export interface EntityChange {
  type: EntityDiff['type'];
  id: string;
  kind: EntityDiff['kind'];
  fields: FieldChange[];
  operation: Operation;
}

/** An operation. Its functions read on demand, by one statement for a whole list. */
export interface Operation extends data.OperationRow {
  summary: () => Promise<string>;
  undoable: () => Promise<boolean>;
}

export function operationsOf(viewer: Viewer, rows: readonly data.OperationRow[]): Operation[] {
  let reading: Promise<Awaited<ReturnType<typeof read>>> | undefined;
  const read = async () => {
    const all = await data.countRows(
      viewer,
      rows.map(({ id }) => id),
    );
    const own = all.filter(({ isConsequence }) => !isConsequence);
    const projects = await data.findProjectNames(viewer, projectsNamed(own));
    const counts = groupBy(own, ({ operationId }) => operationId);
    const others = rows.flatMap(({ id }) => (counts.has(id) ? [] : [id]));
    const fields = others.length > 0 ? await data.findOtherFields(viewer, others) : [];
    return {
      all: groupBy(all, ({ operationId }) => operationId),
      counts,
      fields: groupBy(fields, ({ operationId }) => operationId),
      names: new Map(projects.map(({ id, name }) => [id, name])),
    };
  };
  const details = () => (reading ??= read());
  return rows.map((row) => ({
    ...row,
    summary: async () => {
      const { counts, names, fields } = await details();
      const others = (fields.get(row.id) ?? []).map(({ field }) => field);
      return summarize(row.isKept ? (counts.get(row.id) ?? []) : [], names, { ...row, others });
    },
    undoable: async () => {
      if (!row.isKept || row.undoneBy !== null) return false;
      // An operation may have only consequences, such as the assignments that ended with a membership.
      const counts = (await details()).all.get(row.id) ?? [];
      const has = (kind: data.Count['kind']) => counts.some((count) => count.kind === kind && !count.isMove);
      if (!has('CREATED') || !has('DELETED')) return counts.length > 0;
      // It may have deleted everything that it created.
      return foldDiffs(await data.findOutlines(viewer, [row.id])).length > 0;
    },
  }));
}

/**
 * Lists the operations of the caller's spaces, newest first.
 * @throws VALIDATION_FAILED for a space of other people; as {@link parsePage}
 */
export async function listOperations(context: Context, args: PageArguments & { spaceId?: string | null }) {
  const viewer = signedIn(context);
  notCached(context);
  const { size, position } = parsePage(args, positions.operations);
  const { spaceId } = args;
  if (spaceId != null && !viewer.spaceIds.includes(spaceId)) {
    throw invalid('spaceId', 'must be the id of a space that you are a member of');
  }
  const rows = await data.findOperations(viewer, {
    spaceIds: spaceId == null ? viewer.spaceIds : [spaceId],
    before: position?.[0] ?? null,
    limit: size + 1,
    days: context.services.history.retentionDays,
  });
  return pageOf(operationsOf(viewer, rows), size, ({ id }) => [id], args.after);
}

/** Finds the operations that the caller may see, in any order. */
export async function findOperations(context: Context, ids: readonly string[]): Promise<Operation[]> {
  const viewer = signedIn(context);
  const wanted = ids.filter((id) => isId('Operation', id));
  if (wanted.length === 0) return [];
  notCached(context);
  const rows = await data.findOperationsById(viewer, wanted, context.services.history.retentionDays);
  return operationsOf(viewer, rows);
}

const changeOf = (diff: EntityDiff, operation: Operation, viewer: Viewer): EntityChange => ({
  type: diff.type,
  id: diff.id,
  kind: diff.kind,
  fields: diff.type === 'COMMENT' && !isOwnOrAdministered(viewer, diff) ? [] : fieldChanges(diff, viewer.id),
  operation,
});

const diffsByOperation = (rows: Awaited<ReturnType<typeof data.findOutlines>>) =>
  new Map([...groupBy(rows, ({ operationId }) => operationId)].map(([id, own]) => [id, foldDiffs(own)]));

const loadHistory = (context: Context, viewer: Viewer, key: data.HistoryKey): Promise<data.OperationRow[]> =>
  loaderOf(context, 'history', async (keys: readonly data.HistoryKey[]) => {
    const { retentionDays } = context.services.history;
    const rows = groupBy(await data.findChangesOf(viewer, keys, retentionDays), ({ key: index }) => index);
    return keys.map((_key, index) => rows.get(index) ?? []);
  }).load(key);

/** Loads the changed entities of an operation, without values. */
const loadOutlines = (context: Context, viewer: Viewer, operationId: string): Promise<EntityDiff[]> =>
  loaderOf(context, 'outlines', async (ids: readonly string[]) => {
    const byOperation = diffsByOperation(await data.findOutlines(viewer, ids));
    return ids.map((id) => byOperation.get(id) ?? []);
  }).load(operationId);

interface DiffKey {
  operationId: string;
  id: string;
}

/** Null if the operation left the entity as it was. */
const loadDiff = (context: Context, viewer: Viewer, key: DiffKey): Promise<EntityDiff | null> =>
  loaderOf(context, 'diffs', async (keys: readonly DiffKey[]) => {
    const [operationIds, ids] = [keys.map(({ operationId }) => operationId), keys.map(({ id }) => id)];
    const byOperation = diffsByOperation(await data.findRowsOf(viewer, [...new Set(operationIds)], [...new Set(ids)]));
    const all = new Map(
      [...byOperation].map(([operationId, own]) => [operationId, new Map(own.map((diff) => [diff.id, diff]))]),
    );
    return keys.map(({ operationId, id }) => all.get(operationId)?.get(id) ?? null);
  }).load(key);

/** Lists the changes of an operation. @throws as {@link parsePage} */
export async function listChanges(context: Context, operation: Operation, args: PageArguments) {
  const viewer = signedIn(context);
  notCached(context);
  const { size, position } = parsePage(args, positions.entities);
  const all = operation.isKept ? await loadOutlines(context, viewer, operation.id) : [];
  const from = position ? all.findIndex(({ id }) => id === position[0]) + 1 : 0;
  if (position && from === 0) throw invalid('after', 'must be a cursor of this list');
  const page = pageOf(all.slice(from, from + size + 1), size, ({ id }) => [id], args.after);
  return mapPage(page, async (outline) => {
    const diff = await loadDiff(context, viewer, { operationId: operation.id, id: outline.id });
    return changeOf(diff ?? outline, operation, viewer);
  });
}

/** Lists the changes of an entity, newest first. @throws as {@link parsePage} */
export async function listHistory(context: Context, id: string, args: PageArguments) {
  const viewer = signedIn(context);
  notCached(context);
  const { size, position } = parsePage(args, positions.operations);
  const rows = await loadHistory(context, viewer, { entityId: id, before: position?.[0] ?? null, limit: size + 1 });
  const operations = operationsOf(
    viewer,
    rows.filter(({ isKept }) => isKept),
  );
  const page = pageOf(operations, size, (operation) => [operation.id], args.after);
  return mapPage(page, async (operation) => {
    const diff = await loadDiff(context, viewer, { operationId: operation.id, id });
    return diff ? changeOf(diff, operation, viewer) : undefined;
  });
}
