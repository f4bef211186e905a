import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { type SyncedType, syncedTypes } from '../platform/entities.ts';
import { columnsOf, isSame, tableOf, typesInSpaces, type Values } from './diffs.ts';
import type { Plan } from './plan.ts';

const { sql, raw } = Prisma;

/** Tells the triggers which operation the transaction undoes. */
export const setUndoOf = (tx: Database, operationId: string | null) =>
  tx.$executeRaw`SELECT set_config('taskgate.undo_of', ${operationId ?? ''}, true)`;

/**
 * Writes a plan by one statement per table and action.
 * @param undoneIds operations whose deleted rows are restored
 * @param consequences entities whose change follows from the others
 */
export async function writePlan(
  tx: Database,
  undoneIds: readonly string[],
  { inserts, updates, deletes, types }: Plan,
  now: ReadonlyMap<string, Values>,
  consequences: ReadonlySet<string>,
): Promise<void> {
  const ids = [...inserts.keys(), ...updates.keys(), ...deletes];
  const [own, others] = [false, true].map((is) => new Set(ids.filter((id) => consequences.has(id) === is)));
  // Conflicts may leave only consequences.
  const parts = own?.size && others?.size ? [own, others] : [new Set(ids)];
  // Tags may exchange their names.
  await tx.$executeRaw`SET CONSTRAINTS tags_space_id_name_key DEFERRED`;
  for (const part of parts) {
    const isOf = (type: SyncedType) => (id: string) => types.get(id) === type && part.has(id);
    const of = (type: SyncedType, rows: Map<string, Values>) =>
      [...rows].filter(([id]) => isOf(type)(id)).map(([, row]) => row);
    if (part === others) await tx.$executeRaw`SELECT set_config('taskgate.consequence', 'on', true)`;
    for (const type of typesInSpaces) await insertRows(tx, undoneIds, type, of(type, inserts));
    for (const type of syncedTypes) await updateRows(tx, type, of(type, updates), now);
    for (const type of typesInSpaces.toReversed()) {
      // The cascade deletes a comment with its task, so both come back together.
      const goes = (id: string) => deletes.has(String(now.get(id)?.['task_id']));
      const deleted = [...deletes].filter((id) => isOf(type)(id) && !goes(id));
      if (deleted.length > 0) await runSql(tx, sql`DELETE FROM ${raw(tableOf(type))} WHERE id = ANY (${deleted})`);
    }
  }
  if (parts.length > 1) await tx.$executeRaw`SELECT set_config('taskgate.consequence', '', true)`;
}

const isDeletionOf = (type: SyncedType, operationIds: readonly string[]) =>
  sql`operation_id = ANY (${[...operationIds]}) AND type = ${type}::"EntityType" AND kind = 'DELETED' AND NOT is_move`;

/** Inserts rows in their state at the deletion. @param rows ids, and the values that differ */
async function insertRows(tx: Database, undoneIds: readonly string[], type: SyncedType, rows: Values[]): Promise<void> {
  if (rows.length === 0) return;
  // Images of different versions have different columns.
  const versions = await runSql<{ operationIds: string[]; columns: string[] }>(
    tx,
    sql`/* imageColumns */
      SELECT to_jsonb(array_agg(operation_id)) AS "operationIds", to_jsonb(columns) AS columns FROM (
        SELECT DISTINCT ON (operation_id) operation_id, ARRAY(SELECT json_object_keys(images[1]::json)) AS columns
        FROM history WHERE ${isDeletionOf(type, undoneIds)}
      ) AS image
      GROUP BY columns`,
  );
  for (const { operationIds, columns } of versions) await insertFromImages(tx, operationIds, type, columns, rows);
}

/** SQL of columns with ids of people. Omits deleted accounts and former members. */
const valuesOfPeople: Readonly<Record<string, string>> = {
  assignee_ids:
    "CASE WHEN (made.row).assignee_ids <> '{}' THEN members_among((made.row).assignee_ids, (made.row).space_id) ELSE '{}' END",
  created_by_id: '(SELECT id FROM users WHERE id = (made.row).created_by_id)',
};

/** @param columns columns of the images; all others get their defaults */
async function insertFromImages(
  tx: Database,
  operationIds: readonly string[],
  type: SyncedType,
  columns: readonly string[],
  rows: Values[],
): Promise<void> {
  const table = raw(tableOf(type));
  const insertedColumns = columnsOf(type).filter((column) => columns.includes(column));
  await runSql(
    tx,
    sql`/* bringBack */
      INSERT INTO ${table} (${raw(insertedColumns.join(', '))})
      SELECT ${raw(insertedColumns.map((column) => valuesOfPeople[column] ?? `(made.row).${column}`).join(', '))} FROM (
        SELECT CASE WHEN planned.row - 'id' = '{}' THEN deleted.row ELSE jsonb_populate_record(deleted.row, planned.row) END AS row
        FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb) AS planned (row)
        JOIN (
          SELECT DISTINCT ON (each.id COLLATE "C") each.id, image FROM history, unnest(entity_ids, images) AS each (id, image)
          -- The last deletion of each entity, and its first image there.
          WHERE ${isDeletionOf(type, operationIds)} ORDER BY each.id COLLATE "C", operation_id DESC, position
        ) AS kept ON kept.id = planned.row ->> 'id',
        LATERAL (SELECT json_populate_record(NULL::${table}, kept.image::json) AS row OFFSET 0) AS deleted
        OFFSET 0
      ) AS made`,
  );
}

async function updateRows(
  tx: Database,
  type: SyncedType,
  rows: Values[],
  now: ReadonlyMap<string, Values>,
): Promise<void> {
  const table = raw(tableOf(type));
  const columns = columnsOf(type).filter((column) =>
    rows.some((row) => !isSame(column, row[column], now.get(String(row['id']))?.[column])),
  );
  if (columns.length === 0) return;
  const set = columns.map((column) => `${column} = r.${column}`);
  if (type === 'TASK') set.push('updated_at = now()');
  const changes = rows.map((row) => Object.fromEntries(['id', ...columns].map((column) => [column, row[column]])));
  await runSql(
    tx,
    sql`UPDATE ${table} AS t SET ${raw(set.join(', '))}
      FROM jsonb_populate_recordset(NULL::${table}, ${JSON.stringify(changes)}::jsonb) AS r WHERE t.id = r.id`,
  );
}

/** @returns id of the transaction's own operation */
export async function recordUndo(tx: Database, operationId: string | null): Promise<string | null> {
  const [row] = await runSql<{ id: string | null }>(tx, sql`SELECT setting_of_transaction('announced') AS id`);
  const id = row?.id ?? null;
  // An operation that restores its own deletion does not count as undone.
  if (id !== null && operationId !== null && id !== operationId) {
    await tx.$executeRaw`UPDATE operations SET undone_by = ${id} WHERE id = ${operationId} AND undone_by IS NULL`;
  }
  return id;
}
