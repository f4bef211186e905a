import { Prisma } from '../generated/prisma/client.ts';
import { budgetOf, type Viewer } from '../kernel/context.ts';
import { titleOf } from '../kernel/entities.ts';
import { isInSpacesOf } from '../kernel/policy.ts';
import type { Database } from '../database/database.ts';
import { runSql, runWithin } from '../database/statements.ts';
import { isKept } from './data.ts';
import { type HistoryRow, typesInSpaces } from './images.ts';

const { sql, raw } = Prisma;

/** The top of a deletion. */
export interface TrashRow {
  id: string;
  operationId: string;
  type: HistoryRow['type'];
}

/**
 * The tops of deletions that the viewer may restore or erase: the entries of the trash. Lists, `restore`, `emptyTrash` and `undo` all ask this.
 * @param days of retention
 */
export const isEntryOf = (viewer: Viewer, days: number) =>
  sql`within_id IS NULL AND erased_from IS NULL AND ${isInSpacesOf(viewer, 'trash.space_id')}
    AND ${isKept(sql`operation_id`, days)}`;

/** The newest entries of the viewer's trash. @param after operation and id of the entry before the first one */
export const findTrash = (
  viewer: Viewer,
  { after, limit, days }: { after: readonly string[] | null; limit: number; days: number },
) => {
  const [operationId = 'op_~', id = ''] = after ?? [];
  return runWithin<TrashRow>(
    budgetOf(viewer),
    sql`/* findTrash */
      SELECT entry.* FROM (SELECT id AS space FROM spaces WHERE ${isInSpacesOf(viewer, 'id')}) AS space
      CROSS JOIN LATERAL (
        SELECT entity_id AS id, type, operation_id AS "operationId" FROM trash
        WHERE space_id = space.space AND ${isEntryOf(viewer, days)} AND operation_id <= ${operationId}
          AND (operation_id < ${operationId} OR entity_id COLLATE "C" < ${id})
        ORDER BY operation_id DESC, entity_id COLLATE "C" DESC LIMIT ${limit}
      ) AS entry
      ORDER BY "operationId" DESC, id COLLATE "C" DESC LIMIT ${limit}`,
  );
};

/** The column with the title of an entity, in SQL. */
const title = raw(`CASE type ${typesInSpaces.map((type) => `WHEN '${type}' THEN '${titleOf(type)}'`).join(' ')} END`);

/** Reads the titles of entries from their images, by id. Each row of images is read once, however many entries are in it. */
export async function findTitles(viewer: Viewer, entries: readonly TrashRow[]): Promise<Map<string, string>> {
  const ids = sql`${entries.map(({ id }) => id)}::text[]`;
  const operations = [...new Set(entries.map(({ operationId }) => operationId))];
  const rows = await runWithin<{ id: string; operationId: string; title: string }>(
    budgetOf(viewer),
    sql`/* findTitles */
      SELECT each.id, operation_id AS "operationId", each.image::json ->> ${title} AS title
      FROM history CROSS JOIN LATERAL unnest(entity_ids, images) AS each (id, image)
      WHERE operation_id = ANY (${operations}) AND ${isInSpacesOf(viewer)} AND kind = 'DELETED' AND NOT is_move
        AND each.id IN (SELECT unnest(${ids}))`,
  );
  const operationOf = new Map(entries.map(({ id, operationId }) => [id, operationId]));
  return new Map(
    rows.flatMap(({ id, operationId, title }) => (operationOf.get(id) === operationId ? [[id, title]] : [])),
  );
}

/** The entities that a row of `within` took along. By the index, as the planner expects more rows of a recursive query than there are. */
const takenAlong = sql`(SELECT entity_id, operation_id FROM trash WHERE within_id = within.entity_id OFFSET 0)`;

/** Counts the entities of deletions, by their tops. */
export const countWithin = (viewer: Viewer, tops: readonly string[]) =>
  runWithin<{ id: string; entities: number }>(
    budgetOf(viewer),
    sql`/* countWithin */
      WITH RECURSIVE within AS (
        SELECT unnest(${[...tops]}::text[]) AS top, unnest(${[...tops]}::text[]) AS entity_id
        UNION ALL SELECT top, below.entity_id FROM within CROSS JOIN LATERAL ${takenAlong} AS below
      )
      SELECT top AS id, count(*)::int AS entities FROM within GROUP BY top`,
  );

/** Finds the entries with some ids. */
export const findEntries = (viewer: Viewer, ids: readonly string[], days: number) =>
  runWithin<{ id: string; operationId: string; spaceId: string }>(
    budgetOf(viewer),
    sql`/* findEntries */
      SELECT entity_id AS id, operation_id AS "operationId", space_id AS "spaceId" FROM trash
      WHERE entity_id = ANY (${[...ids]}) AND ${isEntryOf(viewer, days)}`,
  );

/** Which entries are restored: some by their ids, or all of an operation. */
export type Restored = { ids: readonly string[] } | { operationId: string };

/**
 * Reads the entities that come back with entries, under the locks of their spaces.
 * @returns ids of entities, with the operations that deleted them
 */
export const findRestorable = (tx: Database, viewer: Viewer, restored: Restored, days: number) =>
  runSql<{ id: string; operationId: string }>(
    tx,
    sql`/* findRestorable */
      WITH RECURSIVE within AS (
        SELECT entity_id, operation_id FROM trash
        WHERE ${'ids' in restored ? sql`entity_id = ANY (${[...restored.ids]})` : sql`operation_id = ${restored.operationId}`}
          AND ${isEntryOf(viewer, days)}
        UNION ALL SELECT below.entity_id, below.operation_id FROM within CROSS JOIN LATERAL ${takenAlong} AS below
      )
      SELECT entity_id AS id, operation_id AS "operationId" FROM within`,
  );

/** Whether operations took tags from tasks in spaces that the viewer does not see. */
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

/** Ids of deleted entities whose last deletion the viewer sees. */
export const findSeenDeletions = async (tx: Database, viewer: Viewer, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set();
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* findSeenDeletions */
      SELECT entity_id AS id FROM trash WHERE entity_id = ANY (${[...ids]}) AND ${isInSpacesOf(viewer)}`,
  );
  return new Set(rows.map(({ id }) => id));
};

/** Removes restored entities from the trash, before their rows are inserted. An entity that stays behind becomes an entry of its own. */
export const removeFromTrash = (tx: Database, ids: readonly string[]) =>
  runSql(
    tx,
    sql`/* removeFromTrash */
      WITH restored AS (DELETE FROM trash WHERE entity_id = ANY (${[...ids]}))
      UPDATE trash SET within_id = NULL WHERE within_id = ANY (${[...ids]}) AND entity_id NOT IN (SELECT unnest(${[...ids]}::text[]))`,
  );
