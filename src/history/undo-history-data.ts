import { invalid } from '@taskgate/base';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { isVisibleTo, planningRowColumns, rowColumnsOf } from './data.ts';
import { type EntityDiff, type HistoryRow, DiffFolding, isRecreated, withoutTransient } from './diffs.ts';
import type { SortKeyRenewal } from './sort-keys.ts';

const { raw, sql } = Prisma;

/** Characters of images that an undo may hold: enough for the places of 200,000 deleted tasks. */
const maxImageCharacters = 64 * 1024 * 1024;

const rowsPerFetch = 8;

interface Folded {
  columns: Prisma.Sql;
  condition: Prisma.Sql;
  /** Argument that names the undone operation. */
  at: string;
  /** Rows with the same key fold to one diff per entity. */
  keyOf: (row: HistoryRow & { operationId: string }) => string;
}

/** Reads and folds rows, a few at a time. @throws VALIDATION_FAILED if an undo cannot hold all images */
async function foldRows(tx: Database, { columns, condition, at, keyOf }: Folded): Promise<Map<string, EntityDiff[]>> {
  const foldings = new Map<string, DiffFolding>();
  // With a cursor, PostgreSQL searches only once for the rows of the entities.
  await tx.$executeRaw`/* undoneHistory */
    DECLARE undone NO SCROLL CURSOR FOR
    SELECT operation_id AS "operationId", ${columns} FROM history WHERE ${condition} ORDER BY history.position`;
  let characters = 0;
  for (let isRead = false; !isRead && characters <= maxImageCharacters;) {
    const rows = await runSql<HistoryRow & { operationId: string }>(
      tx,
      sql`FETCH ${raw(String(rowsPerFetch))} FROM undone`,
    );
    for (const row of rows) {
      characters += (row.images ?? []).reduce((sum, image) => sum + image.length, 0);
      const folding = foldings.get(keyOf(row)) ?? new DiffFolding();
      foldings.set(keyOf(row), folding);
      folding.add(row);
    }
    isRead = rows.length < rowsPerFetch;
  }
  // The transaction may declare the cursor again for another operation.
  await tx.$executeRaw`CLOSE undone`;
  if (characters > maxImageCharacters) throw invalid(at, 'changed more than can be undone at once');
  return new Map([...foldings].map(([key, { diffs }]) => [key, diffs]));
}

export interface OperationDiffs {
  operationId: string;
  diffs: EntityDiff[];
}

/**
 * Reads the changes of operations in the caller's spaces, and all members' tags that were removed with tasks. A deletion
 * has only the columns of its place and name.
 * @returns an entry for each operation, even without changes; includes transient entities
 * @throws as {@link foldRows}
 */
export async function findDiffs(
  tx: Database,
  spaceIds: readonly string[],
  operationIds: readonly string[],
  at: string,
): Promise<OperationDiffs[]> {
  const condition = sql`operation_id = ANY (${[...operationIds]}) AND (${isVisibleTo({ spaceIds })} OR is_hidden)`;
  const keyOf = ({ operationId }: { operationId: string }) => operationId;
  const folded = await foldRows(tx, { columns: planningRowColumns, condition, at, keyOf });
  const operations: OperationDiffs[] = operationIds.map((operationId) => ({
    operationId,
    diffs: folded.get(operationId) ?? [],
  }));
  // An entity that was deleted and exists again may differ in any column. So may one that was restored, then deleted.
  const isWholeNeeded = (diff: EntityDiff) => isRecreated(diff) || diff.isTransient;
  const recreatedIds = [...new Set(operations.flatMap(({ diffs }) => diffs.filter(isWholeNeeded).map(({ id }) => id)))];
  if (recreatedIds.length === 0) return operations;
  const named = sql`entity_ids && ${recreatedIds}::text[] AND ${condition}`;
  const whole = await foldRows(tx, { columns: rowColumnsOf(recreatedIds), condition: named, at, keyOf });
  return operations.map(({ operationId, diffs }) => {
    const byId = new Map(whole.get(operationId)?.map((diff) => [diff.id, diff]));
    return { operationId, diffs: diffs.map((diff) => byId.get(diff.id) ?? diff) };
  });
}

/** Reads later changes of entities in the caller's spaces. @throws as {@link foldRows} */
export async function findLater(
  tx: Database,
  ids: readonly string[],
  operationId: string,
  spaceIds: readonly string[],
) {
  const folded = await foldRows(tx, {
    columns: rowColumnsOf(ids),
    condition: sql`entity_ids && ${[...ids]}::text[] AND operation_id > ${operationId} AND ${isVisibleTo({ spaceIds })} AND NOT is_hidden`,
    at: 'operationId',
    keyOf: () => '',
  });
  return withoutTransient(folded.get('') ?? []);
}

/** Finds created entities that had been deleted before the operation. */
export async function findBroughtBack(
  tx: Database,
  created: readonly string[],
  operationId: string,
): Promise<Set<string>> {
  if (created.length === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* broughtBack */
      SELECT DISTINCT id FROM history, unnest(entity_ids) AS id
      WHERE entity_ids && ${[...created]}::text[] AND kind = 'DELETED' AND operation_id < ${operationId}`,
  );
  return new Set(rows.map(({ id }) => id));
}

/** Maximum number of renewed sort keys that an undo translates. Beyond it, restored entities keep their former keys. */
const maxRenewedKeys = 50_000;

/** Finds the renewals of sort keys after an operation, from the oldest to the newest. */
export async function findSortKeyRenewals(
  tx: Database,
  operationId: string,
  spaceIds: readonly string[],
): Promise<SortKeyRenewal[]> {
  const rows = await runSql<{ operationId: string; ids: string[]; images: string[]; projectId: string | null }>(
    tx,
    sql`/* renewedKeys */
      SELECT operation_id AS "operationId", to_jsonb(entity_ids) AS ids, to_jsonb(images) AS images, (
        SELECT project_id FROM tasks WHERE id = ANY (entity_ids) GROUP BY project_id ORDER BY count(*) DESC LIMIT 1
      ) AS "projectId"
      FROM (
        SELECT entity_ids, images, operation_id, position, sum(cardinality(entity_ids)) OVER () AS total
        FROM history WHERE space_id = ANY (${[...spaceIds]}) AND operation_id > ${operationId}
          AND type = 'TASK' AND kind = 'UPDATED' AND cardinality(entity_ids) > 1 AND images[1] LIKE '{"sort_key":%'
      ) AS renewed
      WHERE total <= ${maxRenewedKeys}
      ORDER BY operation_id, position`,
  );
  return rows.flatMap(({ operationId: renewedBy, ids, images, projectId }) => {
    if (projectId === null) return [];
    const changes = ids.map((id, index) => {
      const [was, is] = (JSON.parse(images[index] ?? '{}') as { sort_key?: [string, string] }).sort_key ?? ['', ''];
      return { id, was, is };
    });
    return [{ operationId: renewedBy, projectId, changes: changes.filter(({ is }) => is !== '') }];
  });
}

/**
 * Finds the time of each entity's last change in the caller's spaces. Reads the newest rows first, until each entity
 * has its time.
 */
export async function findLastChanges(
  tx: Database,
  ids: readonly string[],
  spaceIds: readonly string[],
): Promise<Map<string, Date>> {
  const times = new Map<string, Date>();
  await tx.$executeRaw`/* lastChanges */
    DECLARE changed NO SCROLL CURSOR FOR
    SELECT ARRAY(SELECT id FROM unnest(entity_ids) AS id WHERE id = ANY (${[...ids]})) AS ids, (
      SELECT at FROM operations WHERE id = operation_id AND operations.space_id = history.space_id
    ) AS at
    FROM history WHERE entity_ids && ${[...ids]}::text[] AND ${isVisibleTo({ spaceIds })} AND NOT is_hidden
    ORDER BY operation_id DESC`;
  for (let isRead = false; !isRead && times.size < ids.length;) {
    const rows = await runSql<{ ids: string[]; at: Date }>(tx, sql`FETCH ${raw(String(rowsPerFetch))} FROM changed`);
    for (const row of rows) for (const id of row.ids) if (!times.has(id)) times.set(id, row.at);
    isRead = rows.length < rowsPerFetch;
  }
  await tx.$executeRaw`CLOSE changed`;
  return times;
}
