import { Prisma } from '../generated/prisma/client.ts';
import { budgetOf, type Viewer } from '../kernel/context.ts';
import { titleOf } from '../kernel/entities.ts';
import { isInSpacesOf } from '../kernel/policy.ts';
import type { Database } from '../database/database.ts';
import { runSql, runWithin } from '../database/statements.ts';
import { type HistoryRow, tableOf, typesInSpaces } from './images.ts';

const { sql, raw } = Prisma;

/** Something that was deleted, by itself and not with another one. */
export interface TrashRow {
  id: string;
  operationId: string;
  type: HistoryRow['type'];
  title: string;
}

/** The column that calls it by its name, in SQL. */
const title = raw(`CASE type ${typesInSpaces.map((type) => `WHEN '${type}' THEN '${titleOf(type)}'`).join(' ')} END`);

/** Whether it is not back again. @param id of it, in SQL */
const isGone = (id: string) =>
  raw(
    typesInSpaces
      .map(tableOf)
      .map((table) => `NOT EXISTS (SELECT FROM ${table} WHERE ${table}.id = ${id})`)
      .join(' AND '),
  );

const isKept = (days: number) =>
  sql`operation_id >= first_operation_id(clock_timestamp() - make_interval(days => ${days}::int)) AND ${days}::int > 0`;

/** The newest entries of the trash of the viewer's spaces, beyond one. */
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
        SELECT top.id, operation_id AS "operationId", type,
          (images[array_position(entity_ids, top.id)]::json ->> ${title}) AS title
        FROM history CROSS JOIN LATERAL unnest(top_ids) AS top (id)
        WHERE space_id = space.space AND top_ids <> '{}' AND operation_id <= ${operationId}
          AND (operation_id < ${operationId} OR top.id COLLATE "C" < ${id}) AND ${isGone('top.id')} AND ${isKept(days)}
          -- What came back and was deleted again is an entry of that deletion alone.
          AND NOT EXISTS (
            SELECT FROM history AS later WHERE later.entity_ids @> ARRAY[top.id] AND later.operation_id > history.operation_id
              AND later.kind = 'DELETED' AND NOT later.is_move AND ${isInSpacesOf(viewer, 'later.space_id')}
          )
        ORDER BY operation_id DESC, top.id COLLATE "C" DESC LIMIT ${limit}
      ) AS entry
      ORDER BY "operationId" DESC, id COLLATE "C" DESC LIMIT ${limit}`,
  );
};

/** How many entities an operation deleted in the viewer's spaces, and how many of them by themselves. */
export const countDeleted = (viewer: Viewer, operationIds: readonly string[]) =>
  runWithin<{ operationId: string; entities: number; tops: number }>(
    budgetOf(viewer),
    sql`/* countDeleted */
      SELECT operation_id AS "operationId", sum(cardinality(entity_ids))::int AS entities, sum(cardinality(top_ids))::int AS tops
      FROM history WHERE operation_id = ANY (${[...operationIds]}) AND kind = 'DELETED' AND NOT is_move AND ${isInSpacesOf(viewer)}
      GROUP BY operation_id`,
  );

/** The operations that deleted entries of the trash, which the viewer may see. */
export const findDeletions = (viewer: Viewer, ids: readonly string[], days: number) =>
  runWithin<{ id: string; operationId: string }>(
    budgetOf(viewer),
    sql`/* findDeletions */
      SELECT each.id, deletion.operation_id AS "operationId" FROM unnest(${[...ids]}::text[]) AS each (id)
      CROSS JOIN LATERAL (
        SELECT operation_id FROM history
        WHERE entity_ids @> ARRAY[each.id] AND each.id = ANY (top_ids) AND ${isInSpacesOf(viewer)} AND ${isKept(days)}
        ORDER BY operation_id DESC LIMIT 1
      ) AS deletion
      WHERE ${isGone('each.id')}`,
  );

/** All entries of the caller's own space, and those of workspaces that the caller deleted: with what went with them. */
export async function findOwnTrash(tx: Database, caller: Viewer): Promise<{ ids: string[]; count: number }> {
  const [row] = await runSql<{ ids: string[]; count: number }>(
    tx,
    sql`/* findOwnTrash */
      WITH gone AS MATERIALIZED (
        SELECT history.entity_ids, history.top_ids FROM history JOIN operations
          ON operations.id = operation_id AND operations.space_id = history.space_id
        WHERE ${isInSpacesOf(caller, 'history.space_id')} AND kind = 'DELETED' AND NOT is_move AND history.operation_id IN (
          SELECT operation_id FROM history AS top WHERE top.space_id = history.space_id AND top.top_ids <> '{}'
        ) AND (history.space_id = ${caller.id} OR actor_id = ${caller.id})
      )
      SELECT ARRAY(SELECT DISTINCT each.id FROM gone, unnest(entity_ids) AS each (id) WHERE ${isGone('each.id')}) AS ids,
        (SELECT count(DISTINCT each.id)::int FROM gone, unnest(top_ids) AS each (id) WHERE ${isGone('each.id')}) AS count`,
  );
  return row ?? { ids: [], count: 0 };
}

/** Those of the entities that are not back again. */
export async function findGone(tx: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await runSql<{ id: string }>(
    tx,
    sql`/* findGone */ SELECT each.id FROM unnest(${[...ids]}::text[]) AS each (id) WHERE ${isGone('each.id')}`,
  );
  return rows.map(({ id }) => id);
}

/** Leaves no image of the entities behind, in any space. */
export async function erase(tx: Database, ids: readonly string[]): Promise<void> {
  const gone = sql`${[...ids]}::text[]`;
  // Looked up by a hash: comparing two arrays takes each of the one with each of the other.
  const isLeft = sql`id NOT IN (SELECT unnest(${gone}))`;
  await runSql(
    tx,
    sql`/* eraseHistory */
      DELETE FROM history WHERE entity_ids && ${gone} AND NOT EXISTS (SELECT FROM unnest(entity_ids) AS id WHERE ${isLeft})`,
  );
  await runSql(
    tx,
    sql`/* eraseImages */
      UPDATE history SET entity_ids = rest.ids, images = CASE WHEN history.images IS NOT NULL THEN rest.images END,
        top_ids = CASE WHEN top_ids IS NOT NULL THEN ARRAY(SELECT id FROM unnest(top_ids) AS id WHERE ${isLeft}) END
      FROM (
        SELECT operation_id, position, kept.* FROM history CROSS JOIN LATERAL (
          SELECT array_agg(id ORDER BY n) AS ids, array_agg(image ORDER BY n) AS images
          FROM unnest(entity_ids, images) WITH ORDINALITY AS each (id, image, n) WHERE ${isLeft}
        ) AS kept
        WHERE entity_ids && ${gone}
      ) AS rest
      WHERE history.operation_id = rest.operation_id AND history.position = rest.position AND rest.ids IS NOT NULL`,
  );
}
