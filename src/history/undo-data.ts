import { groupBy } from '@taskgate/base';
import { runSql } from '@taskgate/postgres';
import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../platform/database.ts';
import { type SyncedType, syncedTypes } from '../platform/entities.ts';
import { planningColumns } from './data.ts';
import { columnsOf, tableOf, type Values } from './diffs.ts';

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
  /** Columns to read in addition to {@link planningColumns}. */
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
 * Finds created entities that have contents or subtasks, and created tags that are in use.
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
      UNION SELECT task_id FROM comments, created WHERE task_id = ANY (ids) AND comments.id <> ALL (own)
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

/** @param isRestored whether the tags return with their tasks. Log and history then show only the tasks */
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

/** @returns members of each space among the users */
export async function findMembers(tx: Database, assigning: readonly { spaceId: string; added: readonly string[] }[]) {
  const [spaces, users] = [assigning.map(({ spaceId }) => spaceId), assigning.flatMap(({ added }) => added)];
  const rows = await runSql<{ spaceId: string; userId: string }>(
    tx,
    sql`SELECT space_id AS "spaceId", user_id AS "userId" FROM memberships
      WHERE space_id = ANY (${[...new Set(spaces)]}) AND user_id = ANY (${[...new Set(users)]})`,
  );
  const bySpace = groupBy(rows, ({ spaceId }) => spaceId);
  return new Map([...bySpace].map(([spaceId, own]) => [spaceId, new Set(own.map(({ userId }) => userId))]));
}

/** @returns present numbers by task */
export async function countComments(tx: Database, taskIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await runSql<{ taskId: string; count: number }>(
    tx,
    sql`SELECT task_id AS "taskId", count(*)::int AS count FROM comments WHERE task_id = ANY (${[...taskIds]}) GROUP BY 1`,
  );
  return new Map(rows.map(({ taskId, count }) => [taskId, count]));
}

/** Open occurrences that a repeating task may not have beside it. */
interface Rivals {
  id: string;
  ofSeries: string[];
  /** Tasks above and below the task. */
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
