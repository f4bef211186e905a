import { plannedEachTime, runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import { isOwnOrAdministered } from '../comments/policy.ts';
import { titleOf } from '../platform/entities.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import type { Database } from '../platform/database.ts';
import { isKept } from './data.ts';
import { type HistoryRow, typesInSpaces } from './diffs.ts';

const { sql, raw } = Prisma;

export interface TrashRow {
  id: string;
  operationId: string;
  spaceId: string;
  type: HistoryRow['type'];
}

/**
 * Condition of an entry of the viewer's trash: the top of a deletion that they may restore or erase. @param days of
 * retention
 */
export const isEntryOf = (viewer: Viewer, days: number) =>
  sql`within_id IS NULL AND erased_from IS NULL AND ${isInSpacesOf(viewer, 'trash.space_id')}
    AND ${isKept(sql`operation_id`, days)}`;

/** Condition of rows of the trash without comments of others. */
export const isOwnOrAdministeredEntry = (viewer: Viewer) => {
  const administered = viewer.spaceIds.filter((spaceId) => isOwnOrAdministered(viewer, { authorId: null, spaceId }));
  return sql`(type <> 'COMMENT' OR author_id = ${viewer.id} OR trash.space_id = ANY (${administered}))`;
};

/** @param after operation and id of the last entry before the page */
export const findTrash = (
  viewer: Viewer,
  { after, limit, days }: { after: readonly string[] | null; limit: number; days: number },
) => {
  const [operationId = 'op_~', id = ''] = after ?? [];
  return readOnPrimary<TrashRow>(
    viewer,
    sql`/* findTrash */
      SELECT entry.* FROM (SELECT id AS space FROM spaces WHERE ${isInSpacesOf(viewer, 'id')}) AS space
      CROSS JOIN LATERAL (
        SELECT entity_id AS id, type, operation_id AS "operationId", space_id AS "spaceId" FROM trash
        WHERE space_id = space.space AND ${isEntryOf(viewer, days)} AND ${isOwnOrAdministeredEntry(viewer)} AND operation_id <= ${operationId}
          AND (operation_id < ${operationId} OR entity_id COLLATE "C" < ${id})
        ORDER BY operation_id DESC, entity_id COLLATE "C" DESC LIMIT ${limit}
      ) AS entry
      ORDER BY "operationId" DESC, id COLLATE "C" DESC LIMIT ${limit}`,
  );
};

const title = raw(`CASE type ${typesInSpaces.map((type) => `WHEN '${type}' THEN '${titleOf(type)}'`).join(' ')} END`);

/** Reads each row of images once, however many entries it has. */
export async function findTitles(viewer: Viewer, entries: readonly TrashRow[]): Promise<Map<string, string>> {
  const ids = sql`${entries.map(({ id }) => id)}::text[]`;
  const operations = [...new Set(entries.map(({ operationId }) => operationId))];
  const rows = await readOnPrimary<{ id: string; operationId: string; title: string }>(
    viewer,
    sql`/* findTitles */
      SELECT each.id, operation_id AS "operationId", left(each.image::json ->> ${title}, 500) AS title
      FROM history CROSS JOIN LATERAL unnest(entity_ids, images) AS each (id, image)
      WHERE operation_id = ANY (${operations}) AND ${isInSpacesOf(viewer)} AND kind = 'DELETED' AND NOT is_move
        AND each.id IN (SELECT unnest(${ids}))`,
  );
  const operationOf = new Map(entries.map(({ id, operationId }) => [id, operationId]));
  return new Map(
    rows.flatMap(({ id, operationId, title }) => (operationOf.get(id) === operationId ? [[id, title]] : [])),
  );
}

/**
 * Entities that were deleted with an entity of `within`. `OFFSET 0` makes PostgreSQL use the index, because it expects
 * too many rows of a recursive query.
 */
const deletedWith = sql`(SELECT entity_id, operation_id FROM trash WHERE within_id = within.entity_id OFFSET 0)`;

export const countWithin = (viewer: Viewer, tops: readonly string[]) =>
  readOnPrimary<{ id: string; entities: number }>(
    viewer,
    sql`/* countWithin */ ${plannedEachTime}
      WITH RECURSIVE within AS (
        SELECT unnest(${[...tops]}::text[]) AS top, unnest(${[...tops]}::text[]) AS entity_id
        UNION ALL SELECT top, below.entity_id FROM within CROSS JOIN LATERAL ${deletedWith} AS below
      )
      SELECT top AS id, count(*)::int AS entities FROM within GROUP BY top`,
  );

export const findEntries = (viewer: Viewer, ids: readonly string[], days: number) =>
  readOnPrimary<TrashRow>(
    viewer,
    sql`/* findEntries */
      SELECT entity_id AS id, type, operation_id AS "operationId", space_id AS "spaceId" FROM trash
      WHERE entity_id = ANY (${[...ids]}) AND ${isEntryOf(viewer, days)}`,
  );

/** Entries to restore: by their ids, or all entries of an operation. */
export type Restored = { ids: readonly string[] } | { operationId: string };

/** Restorable entities by id. */
export type Restorable = ReadonlyMap<string, { operationId: string; isWithin: boolean }>;

/** Reads the entries and the entities that were deleted with them, under the locks of their spaces. */
export const findRestorable = async (
  tx: Database,
  viewer: Viewer,
  restored: Restored,
  days: number,
): Promise<Restorable> => {
  const [operations, chosen, below] =
    'ids' in restored
      ? [sql``, sql`trash WHERE entity_id = ANY (${[...restored.ids]}) AND`, deletedWith]
      : [
          sql`trashed AS MATERIALIZED (SELECT * FROM trash WHERE operation_id = ${restored.operationId}),`,
          sql`trashed AS trash WHERE`,
          sql`(SELECT entity_id, operation_id FROM trashed WHERE within_id = within.entity_id)`,
        ];
  const rows = await runSql<{ id: string; operationId: string; isWithin: boolean }>(
    tx,
    sql`/* findRestorable */ ${plannedEachTime}
      WITH RECURSIVE ${operations} within AS (
        SELECT entity_id, operation_id, false AS is_within FROM ${chosen} ${isEntryOf(viewer, days)}
        UNION ALL SELECT below.entity_id, below.operation_id, true FROM within CROSS JOIN LATERAL ${below} AS below
      )
      SELECT entity_id AS id, operation_id AS "operationId", is_within AS "isWithin" FROM within`,
  );
  return new Map(rows.map(({ id, ...row }) => [id, row]));
};

/** Finds the emptied entries of an operation. The history may have forgotten them. */
export const findEmptied = (
  tx: Database,
  viewer: Viewer,
  operationId: string,
): Promise<Pick<TrashRow, 'id' | 'type'>[]> =>
  runSql<Pick<TrashRow, 'id' | 'type'>>(
    tx,
    sql`/* findEmptied */
      SELECT entity_id AS id, type FROM trash
      WHERE operation_id = ${operationId} AND within_id IS NULL AND erased_from IS NOT NULL AND ${isInSpacesOf(viewer)}
      ORDER BY entity_id COLLATE "C"`,
  );

/** Whether operations took tags from tasks that the viewer does not see. */
export const haveTagsOutside = async (
  tx: Database,
  viewer: Viewer,
  operationIds: readonly string[],
): Promise<boolean> => {
  const rows = await runSql(
    tx,
    sql`/* haveTagsOutside */
      SELECT 1 FROM history WHERE operation_id = ANY (${[...operationIds]}) AND entity_space_id IS NOT NULL
        AND NOT ${isInSpacesOf(viewer, 'entity_space_id')} LIMIT 1`,
  );
  return rows.length > 0;
};

/** Finds the deleted entities whose last deletion the viewer sees. */
export const findSeenDeletions = async (tx: Database, viewer: Viewer, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* findSeenDeletions */
      SELECT entity_id AS id FROM trash WHERE entity_id = ANY (${[...ids]}) AND ${isInSpacesOf(viewer)}`,
  );
  return new Set(rows.map(({ id }) => id));
};

/** Call it before the rows are inserted. Contents that are not restored become entries themselves. */
export const removeFromTrash = (tx: Database, ids: readonly string[]) =>
  runSql(
    tx,
    sql`/* removeFromTrash */
      WITH restored AS (DELETE FROM trash WHERE entity_id = ANY (${[...ids]}))
      UPDATE trash SET within_id = NULL WHERE within_id = ANY (${[...ids]}) AND entity_id NOT IN (SELECT unnest(${[...ids]}::text[]))`,
  );
