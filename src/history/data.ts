import { runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import { syncedTypes } from '../platform/entities.ts';
import { inSpacesOf, isInSpacesOf } from '../platform/policy.ts';
import type { Database } from '../platform/database.ts';
import { columnsOf, type HistoryRow, referenceTo, typesInSpaces } from './diffs.ts';

const { sql } = Prisma;

export interface OperationRow {
  id: string;
  at: Date;
  actorId: string | null;
  client: string | null;
  undoOf: string | null;
  undoneBy: string | null;
  isKept: boolean;
}

/** SQL of {@link OperationRow.isKept}. @param days of retention */
export const isKept = (operationId: Prisma.Sql, days: number) =>
  sql`(${days}::int > 0 AND ${operationId} >= first_operation_id(clock_timestamp() - make_interval(days => ${days}::int)))`;

const operationColumns = (days: number) => sql`
  id, at, actor_id AS "actorId", client, undo_of AS "undoOf", undone_by AS "undoneBy", ${isKept(sql`id`, days)} AS "isKept"`;

/** @param before the page ends before this operation */
export const findOperations = (
  viewer: Viewer,
  {
    spaceIds,
    before,
    limit,
    days,
  }: { spaceIds: readonly string[]; before: string | null; limit: number; days: number },
) =>
  readOnPrimary<OperationRow>(
    viewer,
    sql`/* findOperations */
      SELECT DISTINCT ON (id) ${operationColumns(days)} FROM unnest(${[...spaceIds]}::text[]) AS space (space)
      CROSS JOIN LATERAL (
        SELECT * FROM operations WHERE space_id = space.space AND id < coalesce(${before}, 'op_~')
        ORDER BY id DESC LIMIT ${limit}
      ) AS operation
      ORDER BY id DESC LIMIT ${limit}`,
  );

export const findOperationsById = (viewer: Viewer, ids: readonly string[], days: number) =>
  readOnPrimary<OperationRow>(
    viewer,
    sql`/* findOperationsById */
      SELECT DISTINCT ON (id) ${operationColumns(days)} FROM operations WHERE id = ANY (${[...ids]}) AND ${isInSpacesOf(viewer)} ORDER BY id`,
  );

/** Rows of the history that a caller may see. For tags, the caller must reach the space of the tasks too. */
export const isVisibleTo = (viewer: { spaceIds: readonly string[] }) =>
  sql`${isInSpacesOf(viewer, 'history.space_id')} AND ${isInSpacesOf(viewer, 'coalesce(history.entity_space_id, history.space_id)')}`;

/** Omits hidden rows, which belong to a change of another entity. */
const isShownTo = (viewer: Viewer) => sql`${isVisibleTo(viewer)} AND NOT is_hidden`;

/**
 * Columns of {@link HistoryRow}. Arrays become JSON, which is parsed in a tenth of the time.
 * @param ids SQL of an array of text, like `images`
 */
const rowColumns = (ids: Prisma.Sql, images: Prisma.Sql) => sql`space_id AS "spaceId", type, kind,
  to_jsonb(${ids}) AS ids, to_jsonb(${images}) AS images, is_move AS "isMove", is_hidden AS "isHidden",
  author_id AS "authorId", is_consequence AS "isConsequence"`;

/** Columns with the ids and images of some entities only. */
export const rowColumnsOf = (ids: readonly string[]) =>
  rowColumns(
    sql`ARRAY(SELECT id FROM unnest(entity_ids) AS id WHERE id = ANY (${[...ids]}))`,
    sql`CASE WHEN images IS NOT NULL THEN ARRAY(
      SELECT image FROM unnest(entity_ids, images) AS each (id, image) WHERE id = ANY (${[...ids]})
    ) END`,
  );

/** Columns of an entity's place and name. */
export const planningColumns = ['id', 'space_id', 'parent_id', ...syncedTypes.map(referenceTo), 'sort_key', 'name'];

/** Columns that only repeating tasks need. */
const seriesColumns = ['recurrence', 'completed'];

/** Most tasks have none. */
const assigneeColumn = 'assignee_ids';

const otherColumns = typesInSpaces
  .flatMap(columnsOf)
  .filter((column) => ![...planningColumns, ...seriesColumns, assigneeColumn].includes(column));

/** Images of deletions have only {@link planningColumns} and assignees: the database copies the other values itself. */
export const planningRowColumns = rowColumns(
  sql`entity_ids`,
  sql`CASE WHEN kind = 'DELETED' AND NOT is_move
    THEN ARRAY(
      SELECT (row - ${otherColumns}::text[]
        - CASE WHEN jsonb_typeof(row -> 'recurrence') = 'object' THEN '{}' ELSE ${seriesColumns}::text[] END
        - CASE WHEN row -> ${assigneeColumn} = '[]' THEN ARRAY[${assigneeColumn}] ELSE '{}' END)::text
      FROM unnest(images) AS image, LATERAL (SELECT image::jsonb AS row) AS parsed
    ) ELSE images END`,
);

type OperationsRow = HistoryRow & { operationId: string };

const findRows = (viewer: Viewer, columns: Prisma.Sql, condition: Prisma.Sql) =>
  readOnPrimary<OperationsRow>(
    viewer,
    sql`/* findHistory */
      SELECT operation_id AS "operationId", ${columns} FROM history
      WHERE ${condition} AND ${isShownTo(viewer)} ORDER BY operation_id, position`,
  );

/** Reads the changed entities without their images, in the order of the changes. */
export const findOutlines = (viewer: Viewer, operationIds: readonly string[]) =>
  findRows(viewer, rowColumns(sql`entity_ids`, sql`NULL::text[]`), sql`operation_id = ANY (${[...operationIds]})`);

export const findRowsOf = (viewer: Viewer, operationIds: readonly string[], ids: readonly string[]) =>
  findRows(
    viewer,
    rowColumnsOf(ids),
    sql`operation_id = ANY (${[...operationIds]}) AND entity_ids && ${[...ids]}::text[]`,
  );

/**
 * Number of entities that an operation changed in the same way. The image of one of them is for the summary, without its
 * description, which may be long. Comments have none, because others see it. The summary omits consequences.
 */
export interface Count {
  operationId: string;
  type: HistoryRow['type'];
  kind: HistoryRow['kind'];
  isMove: boolean;
  isConsequence: boolean;
  count: number;
  image: string | null;
}

const oneImage = (condition: Prisma.Sql) => sql`
  min(jsonb_set(images[1]::jsonb, '{description}', 'null', false)::text)
    FILTER (WHERE NOT is_consequence AND type <> 'COMMENT' AND (kind = 'UPDATED' OR cardinality(entity_ids) = 1) AND ${condition})`;

/** Fields and tags of a task have a row each, and so has each change of several in one operation. */
const entityCount = sql`
  CASE WHEN kind = 'UPDATED' AND count(*) > 1
    THEN (
      SELECT count(DISTINCT id)::int
      FROM unnest(string_to_array(string_agg(array_to_string(entity_ids, ' '), ' ') FILTER (WHERE kind = 'UPDATED'), ' ')) AS id
    )
    ELSE sum(cardinality(entity_ids))::int END`;

export const countRows = (viewer: Viewer, operationIds: readonly string[]) =>
  readOnPrimary<Count>(
    viewer,
    sql`/* countHistory */
      SELECT operation_id AS "operationId", type, kind, is_move AS "isMove", is_consequence AS "isConsequence",
        ${entityCount} AS count,
        coalesce(${oneImage(sql`NOT images[1]::jsonb ? 'tags'`)}, ${oneImage(sql`true`)}) AS image
      FROM history WHERE operation_id = ANY (${[...operationIds]}) AND ${isShownTo(viewer)}
      GROUP BY operation_id, type, kind, is_move, is_consequence`,
  );

/** Finds changes without images: profile, preferences, members, claims, and the creation of the account. */
export const findOtherFields = (viewer: Viewer, operationIds: readonly string[]) =>
  readOnPrimary<{ operationId: string; field: string }>(
    viewer,
    sql`/* otherFields */
      SELECT DISTINCT operation_id AS "operationId", fields[1] AS field FROM changes
      WHERE operation_id = ANY (${[...operationIds]}) AND (type IN ('USER', 'WORKSPACE') OR fields = '{claim}') AND ${isInSpacesOf(viewer)}
      UNION ALL
      SELECT operation_id, 'account' FROM changes
      WHERE space_id = ${viewer.id} AND revision = 1 AND operation_id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)}`,
  );

export interface HistoryKey {
  entityId: string;
  /** The page ends before this operation. Null for the newest changes. */
  before: string | null;
  limit: number;
}

export const findChangesOf = (viewer: Viewer, keys: readonly HistoryKey[], days: number) =>
  readOnPrimary<OperationRow & { key: number }>(
    viewer,
    sql`/* findChangesOf */
      SELECT key::int - 1 AS key, ${operationColumns(days)}
      FROM unnest(
        ${keys.map(({ entityId }) => entityId)}::text[], ${keys.map(({ before }) => before)}::text[],
        ${keys.map(({ limit }) => limit)}::int[]
      ) WITH ORDINALITY AS page (entity_id, before, size, key)
      CROSS JOIN LATERAL (
        SELECT DISTINCT operation_id FROM history WHERE entity_ids @> ARRAY[page.entity_id] AND ${isShownTo(viewer)}
          AND operation_id < coalesce(page.before, 'op_~')
        ORDER BY operation_id DESC LIMIT page.size
      ) AS changed
      CROSS JOIN LATERAL (SELECT * FROM operations WHERE id = operation_id AND ${isInSpacesOf(viewer)} LIMIT 1) AS operation
      ORDER BY id DESC`,
  );

/** Locks an operation. `spaceIds` has all spaces that it changed entities in. */
export async function lockOperation(tx: Database, id: string, days: number) {
  const [row] = await runSql<OperationRow & { spaceIds: string[] }>(
    tx,
    sql`/* undoneOperation */
      SELECT ${operationColumns(days)}, ARRAY(
        SELECT space_id FROM operations WHERE id = ${id}
        UNION SELECT entity_space_id FROM history WHERE operation_id = ${id} AND entity_space_id IS NOT NULL
      ) AS "spaceIds"
      FROM operations WHERE id = ${id} ORDER BY space_id LIMIT 1 FOR UPDATE`,
  );
  return row;
}

/** Finds the operation of an idempotency key. Null if the mutation changed nothing, undefined if the key is unknown. */
export async function findOperationOf(viewer: Viewer, key: string): Promise<string | null | undefined> {
  const [row] = await runSql<{ id: string | null }>(
    viewer.connections,
    sql`/* operationOfKey */ SELECT operation_id AS id FROM idempotency_keys WHERE user_id = ${viewer.id} AND key = ${key}`,
  );
  return row?.id;
}

/** Finds the spaces and entities that an undo locks. */
export const findIdsToLock = (viewer: Viewer, operationIds: readonly string[]) =>
  runSql<{ id: string }>(
    viewer.connections,
    sql`/* idsToLock */
      SELECT DISTINCT id FROM history, unnest(entity_ids || ARRAY[space_id, entity_space_id]) AS id
      WHERE operation_id = ANY (${[...operationIds]}) AND ${isShownTo(viewer)} AND id IS NOT NULL
      UNION SELECT space_id FROM operations WHERE id = ANY (${[...operationIds]}) AND ${isInSpacesOf(viewer)}`,
  );

/** Omits invisible projects. */
export const findProjectNames = (viewer: Viewer, ids: readonly string[]) =>
  viewer.connections.db.project.read(
    { select: { id: true, name: true }, where: { id: { in: [...ids] }, ...inSpacesOf(viewer) } },
    viewer,
  );
