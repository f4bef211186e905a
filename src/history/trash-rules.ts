import { type Context, notCached, signedIn, type Viewer } from '../kernel/context.ts';
import { syncedTypes } from '../kernel/entities.ts';
import { notFound } from '../kernel/errors.ts';
import { groupBy } from '../kernel/group.ts';
import { parse, referredIds } from '../kernel/input.ts';
import type { Database } from '../database/database.ts';
import { write } from '../database/write.ts';
import * as data from './data.ts';
import { type EntityImage, foldImages, referenceTo } from './images.ts';
import { type Operation, operationsOf, pageOf, type PageArguments, readPage } from './rules.ts';
import * as trashData from './trash-data.ts';
import { lockImages } from './undo-history-data.ts';
import { apply, type Undone } from './undo-rules.ts';

/** Something that was deleted and can be restored. */
export interface TrashEntry extends trashData.TrashRow {
  operation: Operation;
  /** How many entities it is, with those that went with it. */
  entities: () => Promise<number>;
}

/**
 * What was deleted in the caller's spaces and can be restored, the newest first.
 * @throws as {@link readPage}
 */
export async function listTrash(context: Context, args: PageArguments) {
  const viewer = signedIn(context);
  notCached(context);
  const { size, position } = readPage(args);
  const days = context.services.history.retentionDays;
  const rows = await trashData.findTrash(viewer, { after: position, limit: size + 1, days });
  const ids = [...new Set(rows.map(({ operationId }) => operationId))];
  const found = operationsOf(viewer, await data.findOperationsById(viewer, ids, days));
  const operations = new Map(found.map((operation) => [operation.id, operation]));
  const counts = entityCounts(viewer, ids);
  const entries = rows.flatMap((row): TrashEntry[] => {
    const operation = operations.get(row.operationId);
    return operation ? [{ ...row, operation, entities: () => counts(row) }] : [];
  });
  return pageOf(entries, size, ({ operationId, id }) => [operationId, id], args.after);
}

/**
 * Counts what went with entries: by what is stored, unless an operation deleted several, of which some had others with them. All is read at
 * once, if a count is selected.
 */
function entityCounts(viewer: Viewer, operationIds: readonly string[]) {
  const read = async () => {
    const totals = await trashData.countDeleted(viewer, operationIds);
    const mixed = totals.filter(({ tops, entities }) => tops > 1 && tops !== entities);
    const ids = mixed.map(({ operationId }) => operationId);
    const rows = ids.length > 0 ? await data.findPlacings(viewer, ids) : [];
    const byOperation = groupBy(rows, ({ operationId }) => operationId);
    return {
      totals: new Map(totals.map((each) => [each.operationId, each])),
      within: new Map([...byOperation].map(([id, own]) => [id, countWithin(foldImages(own))])),
    };
  };
  let reading: ReturnType<typeof read> | undefined;
  return async ({ id, operationId }: trashData.TrashRow): Promise<number> => {
    const { totals, within } = await (reading ??= read());
    const own = within.get(operationId);
    if (own) return own.get(id) ?? 1;
    const total = totals.get(operationId);
    return total?.tops === 1 ? total.entities : 1;
  };
}

/** Columns that name what something is deleted with. Tasks of a deleted section or tag stay. */
const ownerColumns = [
  'parent_id',
  ...syncedTypes.filter((type) => type !== 'SECTION' && type !== 'TAG').map(referenceTo),
];

/** What was deleted, by its id, and what each of it was directly in. */
function deletedOf(images: readonly EntityImage[]) {
  const deleted = new Map(images.flatMap((image) => (image.kind === 'DELETED' ? [[image.id, image] as const] : [])));
  const around = ({ before }: EntityImage) =>
    ownerColumns.flatMap((column) => deleted.get(String(before[column])) ?? []);
  return { deleted, around };
}

/** How many entities went with each that was deleted, by its id: counted for all at once. */
function countWithin(images: readonly EntityImage[]): Map<string, number> {
  const { deleted, around } = deletedOf(images);
  const counts = new Map<string, number>();
  for (const image of deleted.values()) {
    const within = new Set([image]);
    for (const each of within) for (const above of around(each)) within.add(above);
    for (const { id } of within) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** The images of entries, of what was deleted with them, and of what their deletion changed. */
export function withinTops(images: readonly EntityImage[], tops: readonly string[]): EntityImage[] {
  const within = new Set(tops);
  const { around } = deletedOf(images);
  const isWithin = (image: EntityImage): boolean => {
    if (within.has(image.id)) return true;
    // Sections and tags are let go of by what is deleted with them as well as by what stays.
    const isIn = around(image).some(isWithin);
    if (isIn) within.add(image.id);
    return isIn;
  };
  const isFreed = ({ before, tags }: EntityImage) =>
    within.has(String(before['section_id'])) || tags.some(({ removed }) => removed.some((id) => within.has(id)));
  return images.filter((image) => (image.kind === 'DELETED' ? isWithin(image) : isFreed(image)));
}

/**
 * Restores entries of the trash, each with what went with it, in one transaction.
 * @throws NOT_FOUND for what is no entry that the caller may see; VALIDATION_FAILED for more than 1,000 ids
 */
export async function restore(context: Context, rawIds: readonly string[]): Promise<Undone> {
  const viewer = signedIn(context);
  const ids = [...new Set(parse(referredIds, rawIds, 'ids'))];
  const { deletions, touched } = await findEntries(context, ids);
  const result: Undone = { operationId: null, applied: 0, conflicts: [] };
  if (ids.length === 0) return result;
  await write(viewer, touched, async (tx, caller) => {
    Object.assign(result, { operationId: null, applied: 0, conflicts: [] });
    for (const [operationId, tops] of [...deletions].sort(([one], [other]) => (one < other ? 1 : -1))) {
      const all = await lockedImages(tx, caller, operationId, tops);
      const images = withinTops(all, tops);
      const isWhole = deletions.size === 1 && images.length === all.length;
      const undone = await apply(tx, caller, {
        images,
        operationId,
        undoOf: isWhole ? operationId : null,
        dryRun: false,
        outside: [],
      });
      result.operationId = undone.operationId ?? result.operationId;
      result.applied += undone.applied;
      result.conflicts.push(...undone.conflicts);
    }
  });
  return result;
}

/** @throws NOT_FOUND where an entry has been emptied, or the caller has left its space, meanwhile */
async function lockedImages(tx: Database, caller: Viewer, operationId: string, tops: readonly string[]) {
  const images = await lockImages(tx, caller.spaceIds, operationId, 'ids');
  const known = new Set(images.map(({ id }) => id));
  if (tops.some((id) => !known.has(id))) throw notFound('Entry of the trash');
  return images;
}

/** @throws NOT_FOUND */
async function findEntries(context: Context, ids: readonly string[]) {
  const viewer = signedIn(context);
  const found = await trashData.findDeletions(viewer, ids, context.services.history.retentionDays);
  if (found.length < ids.length) throw notFound('Entry of the trash');
  const byOperation = groupBy(found, ({ operationId }) => operationId);
  const deletions = new Map([...byOperation].map(([operation, rows]) => [operation, rows.map(({ id }) => id)]));
  const touched = await data.findTouched(viewer, [...deletions.keys()]);
  return { deletions, touched: touched.map(({ id }) => id) };
}

/**
 * Deletes entries of the trash for good; without ids all of the caller's own space, and what the caller deleted in workspaces.
 * @returns how many entries
 * @throws NOT_FOUND for what is no entry that the caller may see; VALIDATION_FAILED for more than 1,000 ids
 */
export async function emptyTrash(context: Context, rawIds: readonly string[] | null | undefined): Promise<number> {
  const viewer = signedIn(context);
  if (rawIds == null) {
    return write(viewer, viewer.spaceIds, async (tx, caller) => {
      const { ids, count } = await trashData.findOwnTrash(tx, caller);
      if (ids.length > 0) await trashData.erase(tx, ids);
      return count;
    });
  }
  const ids = [...new Set(parse(referredIds, rawIds, 'ids'))];
  const { deletions, touched } = await findEntries(context, ids);
  if (ids.length === 0) return 0;
  return write(viewer, touched, async (tx, caller) => {
    for (const [operationId, tops] of deletions) {
      const images = withinTops(await lockedImages(tx, caller, operationId, tops), tops);
      const deleted = images.filter(({ kind }) => kind === 'DELETED').map(({ id }) => id);
      const gone = new Set(await trashData.findGone(tx, deleted));
      // Restored while this has waited for the locks.
      if (tops.some((id) => !gone.has(id))) throw notFound('Entry of the trash');
      await trashData.erase(tx, [...gone]);
    }
    return ids.length;
  });
}
