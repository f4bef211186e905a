import { runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import type { Connections, Database } from '../platform/database.ts';
import { isEntryOf, isOwnOrAdministeredEntry } from './trash-data.ts';

const { sql } = Prisma;

const isOwn = (viewer: Viewer) => sql`(trash.space_id = ${viewer.id} OR EXISTS (
  SELECT FROM operations WHERE id = operation_id AND operations.space_id = trash.space_id AND actor_id = ${viewer.id}
))`;

export const findSpacesToEmpty = async (viewer: Viewer, days: number): Promise<string[]> => {
  const rows = await readOnPrimary<{ id: string }>(
    viewer,
    sql`/* findSpacesToEmpty */ SELECT id FROM spaces WHERE ${isInSpacesOf(viewer, 'id')}
      AND EXISTS (SELECT FROM trash WHERE space_id = spaces.id AND ${isEntryOf(viewer, days)} AND ${isOwn(viewer)})`,
  );
  return rows.map(({ id }) => id);
};

interface Emptying {
  /** Ids of entries. Null for all entries that are the viewer's own. */
  ids: readonly string[] | null;
  /** Spaces whose entries the viewer's role may erase: of comments, and of other entities. */
  within: Record<'comments' | 'others', string[]>;
  /** Spaces to erase images from, if the viewer is still a member. A comment's images are erased from all spaces. */
  from: readonly string[];
  days: number;
  limit: number;
}

/**
 * Marks entries under the locks of their spaces, except comments of others. From then on nothing can restore them.
 * {@link eraseImages} erases their images later.
 * @returns at most `limit` entries, and whether each was marked
 */
export const markErased = (tx: Database, viewer: Viewer, { ids, within, from, days, limit }: Emptying) => {
  const isPermitted = isOwnOrAdministeredEntry(viewer);
  const which = ids
    ? sql`entity_id = ANY (${[...ids]})`
    : sql`${isOwn(viewer)} AND ${isPermitted}
        AND trash.space_id = ANY (CASE type WHEN 'COMMENT' THEN ${within.comments}::text[] ELSE ${within.others} END)`;
  return runSql<{ id: string; isErased: boolean }>(
    tx,
    sql`/* markErased */
      WITH entry AS MATERIALIZED (
        SELECT entity_id AS id, ${isPermitted} AS "isErased" FROM trash WHERE ${which} AND ${isEntryOf(viewer, days)} LIMIT ${limit}
      ), marked AS (
        UPDATE trash SET erased_from = ARRAY(
          SELECT space_id FROM (
            SELECT space_id FROM memberships WHERE user_id = ${viewer.id} AND space_id = ANY (${[...from]})
            UNION SELECT space_id FROM history WHERE trash.type = 'COMMENT' AND entity_ids @> ARRAY[entity_id]
          ) AS space ORDER BY space_id COLLATE "C"
        )
        WHERE entity_id IN (SELECT id FROM entry WHERE "isErased")
      )
      SELECT * FROM entry`,
  );
};

/**
 * Marks the entities that were deleted with a marked entity.
 * @param from as for {@link findMarked}
 * @returns whether more may be left
 */
export const markWithin = async (
  connections: Connections,
  from: readonly string[] | null,
  limit: number,
): Promise<boolean> => {
  const rows = await runSql(
    connections,
    sql`/* markWithin */
      UPDATE trash SET erased_from = next.erased_from FROM (
        SELECT below.entity_id, above.erased_from FROM trash AS above
        JOIN trash AS below ON below.within_id = above.entity_id
        WHERE above.erased_from <> '{}' AND above.erased_from = coalesce(${from && [...from]}::text[], above.erased_from)
          AND below.erased_from IS NULL
        ORDER BY below.entity_id LIMIT ${limit} FOR UPDATE OF below SKIP LOCKED
      ) AS next
      WHERE trash.entity_id = next.entity_id RETURNING 1`,
  );
  return rows.length > 0;
};

/**
 * Finds marked entities of the oldest deletions, all with the same spaces to erase images from.
 * @param from the spaces; null for any
 */
export const findMarked = (connections: Connections, from: readonly string[] | null, limit: number) =>
  runSql<{ id: string; from: [string, ...string[]] }>(
    connections,
    sql`/* findMarked */
      SELECT entity_id AS id, erased_from AS "from" FROM trash
      WHERE erased_from <> '{}'
        AND erased_from = coalesce(${from && [...from]}::text[], (SELECT erased_from FROM trash WHERE erased_from <> '{}' LIMIT 1))
      ORDER BY operation_id LIMIT ${limit}`,
  );

export interface RowKey {
  operationId: string;
  position: string;
  size: number;
}

export const findRows = (connections: Connections, ids: readonly string[], from: readonly string[]) =>
  runSql<RowKey>(
    connections,
    sql`/* findErasedRows */
      SELECT operation_id AS "operationId", position::text, cardinality(entity_ids) AS size FROM history
      WHERE entity_ids && ${[...ids]}::text[] AND history.space_id = ANY (${[...from]}) ORDER BY operation_id, position`,
  );

/**
 * Removes entities from rows, and deletes empty rows. Idempotency keys lose stored responses with the text of a comment.
 * Locking rows in one order avoids deadlocks between processes.
 */
export const eraseImages = (connections: Connections, rows: readonly RowKey[], ids: readonly string[]) =>
  runSql(
    connections,
    sql`/* eraseImages */
      WITH named AS MATERIALIZED (
        SELECT operation_id, position, entity_ids, images, type, space_id FROM history
        WHERE (operation_id, position) IN (
          SELECT * FROM unnest(${rows.map(({ operationId }) => operationId)}::text[], ${rows.map(({ position }) => position)}::bigint[])
        )
        ORDER BY operation_id, position FOR UPDATE
      ), rest AS MATERIALIZED (
        SELECT operation_id, position, kept.* FROM named CROSS JOIN LATERAL (
          SELECT array_agg(id ORDER BY n) AS ids, CASE WHEN named.images IS NOT NULL THEN array_agg(image ORDER BY n) END AS images
          FROM unnest(entity_ids, named.images) WITH ORDINALITY AS each (id, image, n)
          -- PostgreSQL hashes a subquery. It would compare each id with each id of an array.
          WHERE id NOT IN (SELECT unnest(${[...ids]}::text[]))
        ) AS kept
      ), forgotten AS (
        UPDATE idempotency_keys SET body = '', fingerprint = '' WHERE (user_id, operation_id) IN (
          SELECT actor_id, id FROM named JOIN operations ON id = operation_id AND operations.space_id = named.space_id
          WHERE type = 'COMMENT'
        )
      ), deleted AS (
        DELETE FROM history USING rest
        WHERE history.operation_id = rest.operation_id AND history.position = rest.position AND rest.ids IS NULL
      )
      UPDATE history SET entity_ids = rest.ids, images = rest.images FROM rest
      WHERE history.operation_id = rest.operation_id AND history.position = rest.position AND rest.ids IS NOT NULL`,
  );

/** Notes that the images are erased. The rows stay for the retention period: until then, no new entity gets the ids. */
export const noteErased = (connections: Connections, ids: readonly string[]) =>
  runSql(connections, sql`/* noteErased */ UPDATE trash SET erased_from = '{}' WHERE entity_id = ANY (${[...ids]})`);
