import { columnName } from '@taskgate/nested-read';
import { runSql } from '@taskgate/postgres';
import { Prisma, type Task } from '../generated/prisma/client.ts';
import { notifyAssigned } from '../activity/rules.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { formatDate } from '../platform/dates.ts';
import { inSpacesOf, tagSpaceOf } from '../platform/policy.ts';
import { spreadKeys } from '../platform/sort-key.ts';
import { inReadTurn } from '../platform/transaction.ts';
import { type WriteAccess, writeStatement } from '../platform/write.ts';
import type { Recurrence } from '@taskgate/recurrence';
import { castOf, type Field, type FieldOf, fieldsOfInput } from '../platform/fields.ts';
import { taskFields } from './fields.ts';
import { maxLevels } from './input.ts';

const { sql, join, raw, empty } = Prisma;

/** The writable tasks, read under the lock of a writing statement. */
export const allowedTasks = (ids: string[]) =>
  sql`allowed CROSS JOIN LATERAL tasks_within(${ids}, allowed.spaces) AS task`;

export function valueOf({ type }: Field, value: unknown): Prisma.Sql {
  const parameter = type === 'date' && value instanceof Date ? formatDate(value) : value;
  return sql`${parameter}::${raw(castOf(type))}`;
}

const insertedFields = fieldsOfInput(taskFields, 'create');
const insertedColumns = raw(insertedFields.map(([name]) => columnName(name)).join(', '));

/** Ids that the input refers to. Null if absent, empty if malformed. */
export interface References {
  projectId: string | null;
  sectionId: string | null;
  parentId: string | null;
  tagIds: string[];
}

/** A task to create, without its placement. */
export interface NewTask extends Pick<Task, 'id' | Exclude<FieldOf<typeof taskFields, 'create'>, 'reminder'>> {
  /** Null: the creator's `automaticRemainder`. */
  reminder: boolean | null;
  recurrence: Recurrence | null;
  assigneeIds: string[];
}

/** Visible part of a new task's placement. Null if not found. */
export interface TaskPlacement {
  projectId: string | null;
  sectionId: string | null;
  parentId: string | null;
  parentProjectId: string | null;
  parentLevel: number | null;
  tagIds: string[];
  lastKey: string | null;
  /** Whether it would repeat below a task that repeats. */
  isNested: boolean;
}

type CreatedRow = Omit<Task, Exclude<keyof NewTask, 'reminder'>>;

/** Null: the parent's project. */
const namedProject = (viewer: Viewer, { projectId, parentId }: References) =>
  projectId ?? (parentId === null ? viewer.inboxId : null);

export const idsToLockForNewTask = (viewer: Viewer, references: References): string[] =>
  [namedProject(viewer, references), references.parentId, references.tagIds.length > 0 ? viewer.id : null].filter(
    (id) => id !== null,
  );

/** The common table expression `place`, in the spaces of `allowed`. */
function placeOf(viewer: Viewer, references: References, repeats: boolean): Prisma.Sql {
  const { sectionId, parentId, tagIds } = references;
  const parent =
    parentId === null
      ? sql`SELECT NULL AS id, NULL AS project_id, NULL AS section_id`
      : sql`SELECT task.id, task.project_id, task.section_id FROM ${allowedTasks([parentId])}`;
  const section = sectionId === null ? sql`(SELECT NULL AS id, NULL AS project_id)` : sql`sections`;
  const ownTags =
    tagIds.length === 0
      ? sql`'{}'::text[]`
      : sql`ARRAY(SELECT id FROM tags WHERE id = ANY (${tagIds}) AND space_id = ${tagSpaceOf(viewer)})`;
  return sql`parent AS MATERIALIZED (
      ${parent}
    ), place AS MATERIALIZED (
      SELECT project.id AS "projectId", project.space_id AS "spaceId", section.id AS "sectionId",
        parent.id AS "parentId", parent.project_id AS "parentProjectId", parent.section_id AS "parentSectionId",
        CASE WHEN parent.id IS NOT NULL THEN level_of_task(parent.id) END AS "parentLevel",
        ${repeats ? sql`repeating_around(NULL, parent.id) <> '{}'` : sql`false`} AS "isNested",
        ${ownTags} AS "tagIds",
        last_sort_key(project.id) AS "lastKey"
      FROM allowed
      LEFT JOIN parent ON true
      LEFT JOIN projects AS project
        ON project.id = coalesce(${namedProject(viewer, references)}, parent.project_id)
          AND project.space_id = ANY (allowed.spaces)
      LEFT JOIN ${section} AS section ON section.id = ${sectionId} AND section.project_id = project.id
    )`;
}

/** Reads the placement of a task to create, without locks. */
export async function findPlacement(viewer: Viewer, references: References, repeats: boolean): Promise<TaskPlacement> {
  const { connections, spaceIds } = viewer;
  const statement = sql`
    WITH allowed AS (SELECT ${spaceIds}::text[] AS spaces), ${placeOf(viewer, references, repeats)}
    SELECT * FROM place`;
  return onlyRow(await inReadTurn(connections, viewer, () => runSql<TaskPlacement>(connections, statement)));
}

/** Read by the same statement: preferences that a client has just set apply. */
const automaticReminder = ({ id }: Viewer) =>
  sql`coalesce((SELECT automatic_remainder FROM preferences WHERE user_id = ${id}), false)`;

/**
 * Creates the last task of a project in one statement: reads the references under the lock of their spaces, and inserts
 * the task with its tags if everything fits. `requireFittingPlace` has the same rules, and names the problem.
 * @param sortKey null: PostgreSQL picks one, which is not possible after every key
 * @returns the task, or the placement if it was not created
 */
export async function createTask(
  tx: Database | null,
  viewer: Viewer,
  task: NewTask,
  references: References,
  sortKey: string | null,
  access: WriteAccess,
): Promise<{ created: Task; placement?: never } | { created?: never; placement: TaskPlacement }> {
  const { projectId, sectionId, parentId, tagIds } = references;
  const values = insertedFields.map(([name, field]) =>
    name === 'reminder' && task.reminder === null ? automaticReminder(viewer) : valueOf(field, task[name]),
  );
  const tagged = sql`, tagged AS (
      INSERT INTO task_tags (task_id, tag_id, space_id) SELECT id, unnest("tagIds"), ${tagSpaceOf(viewer)} FROM place, created
    )`;
  const notified = notifyAssigned(
    viewer.id,
    sql`SELECT id AS task_id, unnest(${task.assigneeIds}::text[]) AS user_id FROM created`,
  );
  const statement = (allowed: Prisma.Sql, operation: Prisma.Sql) => sql`
    WITH ${allowed}, ${placeOf(viewer, references, task.recurrence !== null)}, created AS (
      INSERT INTO tasks (
        id, space_id, project_id, section_id, parent_id, ${insertedColumns}, recurrence, assignee_ids, created_by_id, sort_key
      )
      SELECT ${task.id}, "spaceId", "projectId", ${projectId === null ? sql`"parentSectionId"` : sql`"sectionId"`},
        "parentId", ${join(values)}, ${task.recurrence && JSON.stringify(task.recurrence)}::jsonb, ${task.assigneeIds},
        ${viewer.id}, key
      FROM place, coalesce(${sortKey}, key_after("lastKey")) AS key
      WHERE "projectId" IS NOT NULL AND key IS NOT NULL
        AND (${parentId}::text IS NULL OR "parentProjectId" = "projectId" AND "parentLevel" < ${maxLevels})
        AND (${sectionId}::text IS NULL OR "sectionId" IS NOT NULL)
        AND cardinality("tagIds") = ${tagIds.length} AND NOT "isNested"
      RETURNING id, space_id AS "spaceId", project_id AS "projectId", section_id AS "sectionId",
        parent_id AS "parentId", sort_key AS "sortKey", reminder, completed, completed_at AS "completedAt",
        created_by_id AS "createdById", created_at AS "createdAt", updated_at AS "updatedAt"
    ) ${tagIds.length > 0 ? tagged : empty} ${task.assigneeIds.length > 0 ? sql`, ${notified}` : empty}
    SELECT CASE WHEN created.id IS NULL THEN to_json(place) END AS placement, created.*,
      CASE WHEN created.id IS NOT NULL THEN ${operation} END AS operation
    FROM place LEFT JOIN created ON true`;
  type Row = { placement: TaskPlacement } | (CreatedRow & { placement: null });
  const row = onlyRow(await writeStatement<Row>(tx, viewer, access, statement));
  return row.placement === null ? { created: { ...task, ...row } } : { placement: row.placement };
}

export const bySortKey = [{ sortKey: 'asc' }, { id: 'asc' }] satisfies Prisma.TaskOrderByWithRelationInput[];

export const tasksBySortKey = (tx: Database, projectId: string) =>
  tx.task.findMany({ where: { projectId }, select: { id: true, sortKey: true }, orderBy: bySortKey });

type Placed = Pick<Task, 'id' | 'sortKey'>;

export const findPlaceOfTask = (tx: Database, viewer: Viewer, id: string) =>
  tx.task.findUnique({ where: { id, ...inSpacesOf(viewer) }, select: { projectId: true } });

export const isBefore = (left: Placed, right: Placed) =>
  left.sortKey < right.sortKey || (left.sortKey === right.sortKey && left.id < right.id);

/** Siblings have the same project and parent. */
export const siblingsOf = (tx: Database, id: string, ids: string[]) => tx.$queryRaw<Placed[]>`
  SELECT sibling.id, sibling.sort_key AS "sortKey"
  FROM tasks JOIN tasks AS sibling
    ON sibling.project_id = tasks.project_id AND sibling.parent_id IS NOT DISTINCT FROM tasks.parent_id
  WHERE tasks.id = ${id} AND sibling.id = ANY (${ids}) AND sibling.id <> ${id}`;

/** Null at the end of the project. */
export async function neighbourKey(
  tx: Database,
  projectId: string,
  { id, sortKey }: Placed,
  side: 'after' | 'before',
  except: string,
): Promise<string | null> {
  const operator = side === 'after' ? 'gt' : 'lt';
  const sort = side === 'after' ? 'asc' : 'desc';
  const neighbour = await tx.task.findFirst({
    where: {
      projectId,
      id: { not: except },
      sortKey: { [`${operator}e`]: sortKey },
      OR: [{ sortKey: { [operator]: sortKey } }, { id: { [operator]: id } }],
    },
    select: { sortKey: true },
    orderBy: [{ sortKey: sort }, { id: sort }],
  });
  return neighbour?.sortKey ?? null;
}

/** Spreads keys evenly, in the order of the ids. An empty id reserves a key. */
export async function renewSortKeys(tx: Database, table: 'tasks' | 'sections', sortedIds: string[]): Promise<string[]> {
  const keys = spreadKeys(sortedIds.length);
  await tx.$executeRaw`
    UPDATE ${raw(table)} AS entry SET sort_key = fresh.key
    FROM unnest(${sortedIds}::text[], ${keys}::text[]) AS fresh (id, key)
    WHERE entry.id = fresh.id AND entry.sort_key <> fresh.key`;
  return keys;
}

/** Spreads the keys of a project's tasks evenly. @returns them in order */
export async function renewKeysOfProject(tx: Database, projectId: string): Promise<string[]> {
  const tasks = await tasksBySortKey(tx, projectId);
  return renewSortKeys(
    tx,
    'tasks',
    tasks.map(({ id }) => id),
  );
}

/** `count` counts the listed tasks; `deletedIds` includes their subtasks. */
export interface DeletedTasks {
  count: number;
  deletedIds: string[];
}

export async function deleteTasks(viewer: Viewer, ids: string[]): Promise<DeletedTasks> {
  const statement = (allowed: Prisma.Sql) => sql`
    WITH ${allowed}, target AS MATERIALIZED (
      SELECT task.id FROM ${allowedTasks(ids)}
    ), reached AS MATERIALIZED (
      SELECT with_subtasks(ARRAY(SELECT id FROM target)) AS id
    ), deleted AS (
      DELETE FROM tasks WHERE id = ANY (ARRAY(SELECT id FROM reached))
    )
    SELECT (SELECT count(*)::int FROM target) AS count, ARRAY(SELECT id FROM reached) AS "deletedIds"`;
  const [row] = await writeStatement<DeletedTasks>(null, viewer, { ids }, statement);
  return row ?? { count: 0, deletedIds: [] };
}

/** Of a statement that returns one. */
export function onlyRow<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new Error('a statement that returns one row returned none');
  return row;
}
