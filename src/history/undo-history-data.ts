import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { invalid } from '../kernel/errors.ts';
import { isVisibleTo, placingRowColumns, rowColumnsOf } from './data.ts';
import { type EntityImage, type HistoryRow, ImageFolding, isMadeAnew } from './images.ts';
import type { Renewal } from './sort-keys.ts';

const { sql } = Prisma;

/** Characters of images that an undo holds: of a deletion of 200,000 tasks. */
const maxImages = 64 * 1024 * 1024;

/**
 * Reads rows of the history in their order, a few of them at a time, and folds them.
 * @param at the argument that names what is to be undone
 * @throws VALIDATION_FAILED where there is more than an undo can hold
 */
async function foldRows(tx: Database, columns: Prisma.Sql, condition: Prisma.Sql, at: string): Promise<EntityImage[]> {
  const folding = new ImageFolding();
  // By a cursor: what is found by entities is found once.
  await tx.$executeRaw`/* undoneHistory */
    DECLARE undone NO SCROLL CURSOR FOR SELECT ${columns} FROM history WHERE ${condition} ORDER BY history.position`;
  let held = 0;
  for (let isRead = false; !isRead;) {
    const rows = await runSql<HistoryRow>(tx, sql`FETCH 8 FROM undone`);
    for (const row of rows) {
      held += (row.images ?? []).reduce((sum, image) => sum + image.length, 0);
      if (held > maxImages) throw invalid(at, 'changed more than can be undone at once');
      folding.add(row);
    }
    isRead = rows.length < 8;
  }
  await tx.$executeRaw`CLOSE undone`;
  return folding.images;
}

/**
 * What an operation did in the spaces that the caller may write to, and to the tags that went with tasks; of deletions the places alone.
 * @throws as {@link foldRows}
 */
export async function lockImages(tx: Database, spaceIds: readonly string[], operationId: string, at: string) {
  const condition = sql`operation_id = ${operationId} AND (${isVisibleTo({ spaceIds })} OR is_hidden)`;
  const images = await foldRows(tx, placingRowColumns, condition, at);
  // What was deleted and exists again may differ in any column.
  const anew = images.filter(isMadeAnew).map(({ id }) => id);
  if (anew.length === 0) return images;
  const whole = await foldRows(tx, rowColumnsOf(anew), sql`entity_ids && ${anew}::text[] AND ${condition}`, at);
  const byId = new Map(whole.map((image) => [image.id, image]));
  return images.map((image) => byId.get(image.id) ?? image);
}

/** What later operations did to entities, in the spaces that the caller may write to. @throws as {@link foldRows} */
export const findLater = (tx: Database, ids: readonly string[], operationId: string, spaceIds: readonly string[]) =>
  foldRows(
    tx,
    rowColumnsOf(ids),
    sql`entity_ids && ${[...ids]}::text[] AND operation_id > ${operationId} AND ${isVisibleTo({ spaceIds })} AND NOT is_hidden`,
    'operationId',
  );

/** New sort keys that an undo follows; where there were more, what it puts back keeps the keys that it had. */
const maxRenewedKeys = 50_000;

/** Where all tasks of a project were given new sort keys since an operation. */
export async function findRenewals(tx: Database, operationId: string, spaceIds: readonly string[]): Promise<Renewal[]> {
  const rows = await runSql<{ ids: string[]; images: string[]; projectId: string | null }>(
    tx,
    sql`/* renewedKeys */
      SELECT to_jsonb(entity_ids) AS ids, to_jsonb(images) AS images, (
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
  return rows.flatMap(({ ids, images, projectId }) => {
    if (projectId === null) return [];
    const changes = ids.map((id, index) => {
      const [was, is] = (JSON.parse(images[index] ?? '{}') as { sort_key?: [string, string] }).sort_key ?? ['', ''];
      return { id, was, is };
    });
    return [{ projectId, changes: changes.filter(({ is }) => is !== '') }];
  });
}

/** When each of the entities was changed last, in the spaces that the caller may write to. */
export async function findLastChanges(
  tx: Database,
  ids: readonly string[],
  spaceIds: readonly string[],
): Promise<Map<string, Date>> {
  const rows = await runSql<{ id: string; at: Date }>(
    tx,
    sql`/* lastChanges */
      SELECT each.id, max(operations.at) AS at FROM unnest(${[...ids]}::text[]) AS each (id)
      JOIN history ON entity_ids @> ARRAY[each.id] JOIN operations ON operations.id = operation_id AND operations.space_id = history.space_id
      WHERE ${isVisibleTo({ spaceIds })} AND NOT is_hidden
      GROUP BY each.id`,
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}
