import { groupBy } from '@taskgate/base';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { type SyncedType, syncedTypes } from '../platform/entities.ts';
import { planningColumns } from './data.ts';
import { columnsOf, isSame, tableOf, typesInSpaces, type Values } from './diffs.ts';
import type { Plan } from './plan.ts';

const { sql, join, raw } = Prisma;

export interface TaskTag {
  taskId: string;
  tagId: string;
  owner: string;
}

export interface Needed {
  ids: Record<SyncedType, string[]>;
  withBelow: string[];
  /** Sections, with their tasks and all subtasks. */
  withTasks: string[];
  withAbove: string[];
  /** In addition to {@link planningColumns}. */
  columns: ReadonlySet<string>;
}

/** Reads rows under the lock. */
export async function findPresent(tx: Database, { ids, withBelow, withTasks, withAbove, columns }: Needed) {
  const isRead = (column: string) => planningColumns.includes(column) || columns.has(column);
  const rowsOf = (type: SyncedType, condition: Prisma.Sql) => sql`
    SELECT ${type} AS type, to_jsonb(entity) AS row FROM (
      SELECT ${raw(columnsOf(type).filter(isRead).join(', '))} FROM ${raw(tableOf(type))} WHERE ${condition}
    ) AS entity`;
  const others = syncedTypes
    .filter((type) => type !== 'TASK')
    .map((type) => rowsOf(type, sql`id = ANY (${ids[type]})`));
  const present = await runSql<{ type: SyncedType; row: Values }>(
    tx,
    sql`/* presentRows */
      WITH RECURSIVE below AS (
        (SELECT id FROM tasks WHERE id = ANY (${withBelow}) UNION SELECT id FROM tasks WHERE section_id = ANY (${withTasks}))
        UNION SELECT tasks.id FROM tasks JOIN below ON tasks.parent_id = below.id
      ), above AS (
        SELECT id, parent_id FROM tasks
        WHERE id = ANY (${withAbove} || ARRAY(SELECT parent_id FROM tasks WHERE id = ANY (${withBelow}) AND parent_id IS NOT NULL))
        UNION SELECT tasks.id, tasks.parent_id FROM tasks JOIN above ON tasks.id = above.parent_id
      )
      ${rowsOf('TASK', sql`id = ANY (${ids.TASK} || ARRAY(SELECT id FROM below) || ARRAY(SELECT id FROM above))`)}
      UNION ALL ${join(others, ' UNION ALL ')}`,
  );
  return {
    rows: new Map(present.map(({ row }) => [String(row['id']), row])),
    types: new Map(present.map(({ row, type }) => [String(row['id']), type])),
  };
}

/**
 * Finds each space's project for entities whose project is gone.
 * @param created projects that the undo may delete
 */
export async function findFallbacks(
  tx: Database,
  spaceIds: readonly string[],
  created: readonly string[],
): Promise<Map<string, string>> {
  const rows = await runSql<{ spaceId: string; id: string }>(
    tx,
    sql`SELECT DISTINCT ON (space_id) space_id AS "spaceId", id FROM projects
      WHERE space_id = ANY (${[...spaceIds]}) AND id <> ALL (${[...created]})
      ORDER BY space_id, is_default DESC, created_at, id`,
  );
  return new Map(rows.map(({ spaceId, id }) => [spaceId, id]));
}

/** @returns ids of the user's tags by name */
export async function findTagNames(
  tx: Database,
  userId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await runSql<{ name: string; id: string }>(
    tx,
    sql`SELECT name, id FROM tags WHERE space_id = ${userId} AND name = ANY (${[...names]})`,
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/**
 * Finds created entities that have contents or subtasks, or tags that are in use.
 * @param without entities that do not count as contents
 */
export const findBuiltUpon = (
  tx: Database,
  { created, without }: { created: readonly string[]; without: readonly string[] },
  operationId: string,
) =>
  runSql<{ id: string }>(
    tx,
    sql`/* builtUpon */
      WITH created AS (SELECT ${[...created]}::text[] AS ids, ${[...without]}::text[] AS own)
      SELECT parent_id AS id FROM tasks, created WHERE parent_id = ANY (ids) AND tasks.id <> ALL (own)
      UNION SELECT project_id FROM tasks, created WHERE project_id = ANY (ids) AND tasks.id <> ALL (own)
      UNION SELECT section_id FROM tasks, created WHERE section_id = ANY (ids) AND tasks.id <> ALL (own)
      UNION SELECT project_id FROM sections, created WHERE project_id = ANY (ids) AND sections.id <> ALL (own)
      UNION SELECT tag_id FROM task_tags, created WHERE tag_id = ANY (ids) AND NOT EXISTS (
        SELECT FROM history WHERE entity_ids @> ARRAY[task_id] AND operation_id = ${operationId}
      )`,
  );

const arrays = (tags: readonly TaskTag[]) => sql`${tags.map(({ taskId }) => taskId)}::text[],
  ${tags.map(({ tagId }) => tagId)}::text[], ${tags.map(({ owner }) => owner)}::text[]`;

/** Finds existing tags with their owners, and the spaces of the tasks that the owner is a member of. */
export async function findTags(tx: Database, tags: readonly (TaskTag & { space: string })[]) {
  if (tags.length === 0) return new Map<string, { owner: string; spaces: string[] }>();
  const [ids, spaces] = [new Set(tags.map(({ tagId }) => tagId)), new Set(tags.map(({ space }) => space))];
  const rows = await runSql<{ id: string; owner: string; spaces: string[] }>(
    tx,
    sql`/* knownTags */
      SELECT id, space_id AS owner, ARRAY(
        SELECT memberships.space_id FROM memberships
        WHERE user_id = tags.space_id AND memberships.space_id = ANY (${[...spaces]})
      ) AS spaces
      FROM tags WHERE id = ANY (${[...ids]}) FOR KEY SHARE OF tags`,
  );
  return new Map(rows.map(({ id, ...tag }) => [id, tag]));
}

export const findPresentTags = async (tx: Database, tags: readonly TaskTag[]) =>
  tags.length === 0
    ? []
    : runSql<TaskTag>(
        tx,
        sql`SELECT "taskId", "tagId", owner FROM unnest(${arrays(tags)}) AS each ("taskId", "tagId", owner)
          WHERE EXISTS (SELECT FROM task_tags WHERE task_id = "taskId" AND tag_id = "tagId")`,
      );

export const removeTags = (tx: Database, tags: readonly TaskTag[]) =>
  runSql(
    tx,
    sql`DELETE FROM task_tags USING unnest(${arrays(tags)}) AS each (task, tag, owner) WHERE task_id = task AND tag_id = tag`,
  );

/** @param isRestored whether the tags return with their tasks, so that log and history show the tasks only */
export async function addTags(tx: Database, tags: readonly TaskTag[], isRestored: boolean): Promise<void> {
  const byTag = groupBy(tags, ({ tagId }) => tagId);
  const groups = [...byTag].map(([tag, own]) => ({
    tag,
    owner: own[0].owner,
    tasks: own.map(({ taskId }) => taskId),
  }));
  await tx.$executeRaw`SELECT set_config('taskgate.restores_tags', ${isRestored ? 'on' : ''}, true)`;
  await tx.$executeRaw`
    INSERT INTO task_tags (task_id, tag_id, space_id)
    SELECT task, tag, owner FROM jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) AS each (tag text, owner text, tasks text[]),
      unnest(tasks) AS task
    ON CONFLICT DO NOTHING`;
  await tx.$executeRaw`SELECT set_config('taskgate.restores_tags', '', true)`;
}

/** Removes tags whose owner is no member of the task's space. */
export const dropForeignTags = (tx: Database, taskIds: readonly string[]) =>
  runSql(
    tx,
    sql`DELETE FROM task_tags USING tasks WHERE task_id = ANY (${[...taskIds]}) AND tasks.id = task_id
      AND NOT EXISTS (SELECT FROM memberships WHERE memberships.space_id = tasks.space_id AND user_id = task_tags.space_id)`,
  );

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
      const deleted = [...deletes].filter(isOf(type));
      if (deleted.length > 0) await runSql(tx, sql`DELETE FROM ${raw(tableOf(type))} WHERE id = ANY (${deleted})`);
    }
  }
  if (parts.length > 1) await tx.$executeRaw`SELECT set_config('taskgate.consequence', '', true)`;
}

const isDeletionOf = (type: SyncedType, operationIds: readonly string[]) =>
  sql`operation_id = ANY (${[...operationIds]}) AND type = ${type}::"EntityType" AND kind = 'DELETED' AND NOT is_move`;

/** Inserts rows as they were at their deletion. @param rows ids, and the values that differ */
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

/** @param columns of the images; others get their defaults */
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
      SELECT ${raw(insertedColumns.map((column) => `(made.row).${column}`).join(', '))} FROM (
        SELECT CASE WHEN planned.row - 'id' = '{}' THEN deleted.row ELSE jsonb_populate_record(deleted.row, planned.row) END AS row
        FROM jsonb_array_elements(${JSON.stringify(rows)}::jsonb) AS planned (row)
        JOIN (
          SELECT DISTINCT ON (each.id COLLATE "C") each.id, image FROM history, unnest(entity_ids, images) AS each (id, image)
          -- Of each entity, the last deletion; within it, the first image.
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

/** Open occurrences that a repeating task may not have beside it. */
export interface Rivals {
  id: string;
  ofSeries: string[];
  /** Above and below the task. */
  around: string[];
}

export const findRivals = (tx: Database, tasks: readonly { id: string; parentId: string | null; seriesId: string }[]) =>
  runSql<Rivals>(
    tx,
    sql`/* rivals */
      SELECT id, ARRAY(
        SELECT other.id FROM tasks AS other
        WHERE recurrence ->> 'seriesId' = "seriesId" AND NOT completed AND other.id <> task.id
      ) AS "ofSeries", repeating_around(id, "parentId") AS around
      FROM jsonb_to_recordset(${JSON.stringify(tasks)}::jsonb) AS task (id text, "parentId" text, "seriesId" text)`,
  );
