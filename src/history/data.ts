import { Prisma } from '../generated/prisma/client.ts';
import { budgetOf, type Viewer } from '../kernel/context.ts';
import { isInSpacesOf } from '../kernel/policy.ts';
import { runSql, runWithin } from '../database/statements.ts';
import { type Database, db } from '../database/database.ts';
import type { HistoryRow } from './images.ts';

const { sql, raw } = Prisma;

/** An operation, as the members of a space that it changed see it. */
export interface OperationRow {
  id: string;
  at: Date;
  actorId: string | null;
  client: string | null;
  undoOf: string | null;
  undoneBy: string | null;
  /** Whether images of that age are kept. */
  isKept: boolean;
}

/** @param days for which images are kept */
const shown = (days: number) => sql`
  id, at, actor_id AS "actorId", client, undo_of AS "undoOf", undone_by AS "undoneBy",
  at > statement_timestamp() - make_interval(days => ${days}::int) AND ${days}::int > 0 AS "isKept"`;

/** The newest operations of the viewer's spaces, or of one of them, beyond an id. */
export const findOperations = (
  viewer: Viewer,
  {
    spaceIds,
    before,
    limit,
    days,
  }: { spaceIds: readonly string[]; before: string | null; limit: number; days: number },
) =>
  runWithin<OperationRow>(
    budgetOf(viewer),
    sql`/* findOperations */
      SELECT DISTINCT ON (id) ${shown(days)} FROM unnest(${[...spaceIds]}::text[]) AS space (space)
      CROSS JOIN LATERAL (
        SELECT * FROM operations WHERE space_id = space.space AND id < coalesce(${before}, 'op_~')
        ORDER BY id DESC LIMIT ${limit}
      ) AS operation
      ORDER BY id DESC LIMIT ${limit}`,
  );

export const findOperationsById = (viewer: Viewer, ids: readonly string[], days: number) =>
  runWithin<OperationRow>(
    budgetOf(viewer),
    sql`/* findOperationsById */
      SELECT DISTINCT ON (id) ${shown(days)} FROM operations WHERE id = ANY (${[...ids]}) AND ${isInSpacesOf(viewer)} ORDER BY id`,
  );

/** Columns of {@link HistoryRow}: arrays as JSON, which is parsed ten times as fast. */
export const rowColumns = raw(
  `space_id AS "spaceId", type, kind, to_jsonb(entity_ids) AS ids, to_jsonb(images) AS images, is_move AS "isMove", is_hidden AS "isHidden"`,
);

/** What is kept of operations in the viewer's spaces, in the order in which it was written. */
export const findRows = (viewer: Viewer, operationIds: readonly string[]) =>
  runWithin<HistoryRow & { operationId: string }>(
    budgetOf(viewer),
    sql`/* findHistory */
      SELECT operation_id AS "operationId", ${rowColumns} FROM history
      WHERE operation_id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)} AND NOT is_hidden
      ORDER BY operation_id, position`,
  );

/** What is kept of an entity by operations in the viewer's spaces, in the order in which it was written. */
export const findRowsOf = (viewer: Viewer, operationIds: readonly string[], id: string) =>
  runWithin<HistoryRow & { operationId: string }>(
    budgetOf(viewer),
    sql`/* findHistoryOf */
      SELECT operation_id AS "operationId", space_id AS "spaceId", type, kind, ARRAY[${id}::text] AS ids,
        CASE WHEN images IS NOT NULL THEN ARRAY[images[array_position(entity_ids, ${id}::text)]] END AS images,
        is_move AS "isMove", is_hidden AS "isHidden"
      FROM history
      WHERE operation_id = ANY (${[...operationIds]}) AND entity_ids @> ${[id]}::text[] AND ${isInSpacesOf(viewer)} AND NOT is_hidden
      ORDER BY operation_id, position`,
  );

/** How many entities of a kind an operation changed in the viewer's spaces, and the image of one of them. */
export interface Count {
  operationId: string;
  type: HistoryRow['type'];
  kind: HistoryRow['kind'];
  isMove: boolean;
  count: number;
  image: string | null;
}

export const countRows = (viewer: Viewer, operationIds: readonly string[]) =>
  runWithin<Count>(
    budgetOf(viewer),
    sql`/* countHistory */
      SELECT operation_id AS "operationId", type, kind, is_move AS "isMove", sum(cardinality(entity_ids))::int AS count,
        min(left(images[1], 4096)) AS image
      FROM history WHERE operation_id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)} AND NOT is_hidden
      GROUP BY operation_id, type, kind, is_move`,
  );

/** What else operations changed, as the change log names it: the profile and preferences of a user, the members of a workspace. */
export const findOtherFields = (viewer: Viewer, operationIds: readonly string[]) =>
  runWithin<{ operationId: string; field: string }>(
    budgetOf(viewer),
    sql`/* otherFields */
      SELECT DISTINCT operation_id AS "operationId", fields[1] AS field FROM changes
      WHERE operation_id = ANY (${[...operationIds]}) AND type IN ('USER', 'WORKSPACE') AND ${isInSpacesOf(viewer)}`,
  );

/** The latest operations that changed an entity in the viewer's spaces, beyond one; several rows of the history may be of one. */
export const findChangesOf = (
  viewer: Viewer,
  id: string,
  { before, limit, days }: { before: string | null; limit: number; days: number },
) =>
  runWithin<OperationRow>(
    budgetOf(viewer),
    sql`/* findChangesOf */
      SELECT DISTINCT ON (id) ${shown(days)} FROM operations
      WHERE id IN (
        SELECT DISTINCT operation_id FROM history WHERE entity_ids @> ${[id]}::text[] AND ${isInSpacesOf(viewer)}
          AND NOT is_hidden AND operation_id < coalesce(${before}, 'op_~')
        ORDER BY operation_id DESC LIMIT ${limit}
      ) AND ${isInSpacesOf(viewer)}
      ORDER BY id DESC`,
  );

// Under the locks of an undo ----------------------------------------------------------------------

/** All that is kept of an operation: in the spaces that the caller may write to, and the tags that went with tasks. */
export const lockRows = (tx: Database, spaceIds: readonly string[], operationId: string) =>
  runSql<HistoryRow>(
    tx,
    sql`/* undoneHistory */
      SELECT ${rowColumns} FROM history
      WHERE operation_id = ${operationId} AND (space_id = ANY (${[...spaceIds]}) OR is_hidden) ORDER BY position`,
  );

/** An operation as it is under the lock, with all spaces that it changed. */
export async function lockOperation(tx: Database, id: string, days: number) {
  const [row] = await runSql<OperationRow & { spaceIds: string[] }>(
    tx,
    sql`/* undoneOperation */
      SELECT ${shown(days)}, ARRAY(SELECT space_id FROM operations WHERE id = ${id}) AS "spaceIds"
      FROM operations WHERE id = ${id} ORDER BY space_id LIMIT 1 FOR UPDATE`,
  );
  return row;
}

/** The operation that a keyed mutation of the viewer's was; null: it changed nothing, undefined: there is no such key. */
export async function findOperationOf(viewer: Viewer, key: string): Promise<string | null | undefined> {
  const [row] = await runSql<{ id: string | null }>(
    db,
    sql`/* operationOfKey */ SELECT operation_id AS id FROM idempotency_keys WHERE user_id = ${viewer.id} AND key = ${key}`,
  );
  return row?.id;
}

/** Ids of spaces and entities that an undo of operations locks. */
export const findTouched = (viewer: Viewer, operationIds: readonly string[]) =>
  runSql<{ id: string }>(
    db,
    sql`/* touchedByUndo */
      SELECT DISTINCT id FROM history, unnest(array_append(entity_ids, space_id)) AS id
      WHERE operation_id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)} AND NOT is_hidden
      UNION SELECT space_id FROM operations WHERE id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)}`,
  );
