import { columnName, fromJson } from '@taskgate/nested-read';
import { models } from '../platform/models.ts';
import { Prisma, type Task } from '../generated/prisma/client.ts';
import { notifyAssigned } from '../activity/rules.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { writeStatement } from '../platform/write.ts';
import { isInSpacesOf, tagSpaceOf } from '../platform/policy.ts';
import type { Assignment } from './assignment.ts';
import { allowedTasks, type References, valueOf } from './data.ts';
import { type FieldOf, fieldsOfInput } from '../platform/fields.ts';
import { taskFields } from './fields.ts';
import type { UpdateTaskInput } from './input.ts';
import type { Recurrence } from '@taskgate/recurrence';
import { type Plan, completedByPlan, plannedTarget, type Unplanned } from './occurrence-data.ts';

const { sql, join, raw, empty } = Prisma;

export type Target = Pick<Task, 'id' | 'projectId' | 'spaceId' | 'sectionId' | 'parentId'>;

export interface UpdateFacts {
  targets: Target[];
  projectSpaceId: string | null;
  sectionProjectId: string | null;
  tagIds: string[];
}

/** Reads the facts that an update needs. For a move, call it under the lock. */
export async function findUpdateFacts(
  tx: Database,
  viewer: Viewer,
  ids: string[],
  references: Omit<References, 'parentId'>,
): Promise<UpdateFacts> {
  const { projectId, sectionId, tagIds } = references;
  const [row] = await tx.$queryRaw<UpdateFacts[]>`
    WITH target AS (
      SELECT id, project_id AS "projectId", space_id AS "spaceId", section_id AS "sectionId", parent_id AS "parentId"
      FROM tasks WHERE id = ANY (${ids}) AND ${isInSpacesOf(viewer)}
    )
    SELECT (SELECT coalesce(json_agg(target), '[]') FROM target) AS targets,
      (SELECT space_id FROM projects WHERE id = ${projectId} AND ${isInSpacesOf(viewer)}) AS "projectSpaceId",
      (SELECT project_id FROM sections WHERE id = ${sectionId} AND ${isInSpacesOf(viewer)}) AS "sectionProjectId",
      ARRAY(SELECT id FROM tags WHERE id = ANY (${tagIds}) AND space_id = ${tagSpaceOf(viewer)}) AS "tagIds"`;
  return row ?? { targets: [], projectSpaceId: null, sectionProjectId: null, tagIds: [] };
}

/** Call it under the lock. @param ends whether the child ceases to repeat */
export async function findNewParent(tx: Database, viewer: Viewer, id: string, childId: string, ends: boolean) {
  const [row] = await tx.$queryRaw<
    {
      projectId: string;
      spaceId: string;
      sectionId: string | null;
      level: number;
      isBelow: boolean;
      height: number;
      /** Whether a repeating task would be below another. */
      isNested: boolean;
    }[]
  >`
    WITH RECURSIVE above AS (
      SELECT id, parent_id FROM tasks WHERE id = ${id}
      UNION ALL SELECT tasks.id, tasks.parent_id FROM tasks JOIN above ON tasks.id = above.parent_id
    ), below AS (
      SELECT id, 1 AS level FROM tasks WHERE id = ${childId}
      UNION ALL SELECT tasks.id, below.level + 1 FROM tasks JOIN below ON tasks.parent_id = below.id
    )
    SELECT project_id AS "projectId", space_id AS "spaceId", section_id AS "sectionId",
      (SELECT count(*)::int FROM above) AS level,
      EXISTS (SELECT FROM above WHERE id = ${childId}) AS "isBelow",
      (SELECT max(level) FROM below) AS height,
      repeating_around(NULL, ${id}) <> '{}' AND EXISTS (
        SELECT FROM tasks JOIN below ON below.id = tasks.id WHERE recurrence IS NOT NULL AND NOT completed
          AND below.level > ${ends ? 1 : 0}
      ) AS "isNested"
    FROM tasks WHERE id = ${id} AND ${isInSpacesOf(viewer)}`;
  return row;
}

/** Changes of a task. Absent parts are unchanged. */
export interface TaskChanges {
  fields: Pick<UpdateTaskInput, FieldOf<typeof taskFields, 'update'>>;
  recurrence?: Recurrence | null;
  /** Tasks that lose their recurrence. */
  endedIds?: string[];
  /** Keeps the tags of other members. */
  tagIds?: string[];
  assignment?: Assignment;
  parentId?: string | null;
  /** New place of the tasks and their subtrees. Without `project`, they stay in theirs. */
  place?: { sectionId: string | null; project?: { id: string; spaceId: string } };
}

export interface UpdatedTasks {
  /** Existing tasks, also if no value differs. */
  ids: string[];
  /** The written row, if a single task was to change and a value differed. */
  task: Task | null;
  /** Repeating tasks to complete or open, without the right plan. If there is one, nothing was written. */
  unplanned: Unplanned[];
}

export const noTasks: UpdatedTasks = { ids: [], task: null, unplanned: [] };

const { columns } = models.Task;

/**
 * Writes only if the plan has the present state of each repeating task that it completes or opens.
 * @param tx see `writeStatement`
 * @param plan null: any state. Not empty: the only change is a completion
 */
export async function writeTasks(
  tx: Database | null,
  viewer: Viewer,
  ids: string[],
  changes: TaskChanges,
  plan: Plan | null,
): Promise<UpdatedTasks> {
  const { place, tagIds, assignment } = changes;
  const completed = plan ? changes.fields.completed : undefined;
  const byPlan = plan && plan.size > 0;
  const own = fieldAssignments(changes);
  const shared = place ? placeAssignments(place) : [];
  // A move also updates the subtrees, which keep their own values.
  const assignments = [
    ...own.map(([column, value]): ColumnValue => [
      column,
      place ? sql`CASE WHEN task.id IN (SELECT id FROM target) THEN ${value} ELSE task.${column} END` : value,
    ]),
    ...shared,
  ];
  const subtree = place ? sql`UNION SELECT tasks.id FROM tasks JOIN reached ON tasks.parent_id = reached.id` : empty;
  const written =
    assignments.length > 0 && ids.length === 1
      ? sql`(SELECT row_to_json(updated) FROM updated WHERE id = ${ids[0]})`
      : sql`NULL`;
  const found = allowedTasks(ids);
  const target =
    completed == null || !plan
      ? sql`target AS MATERIALIZED (SELECT task.id, task.assignee_ids FROM ${found})`
      : plannedTarget(found, completed, plan);
  const statement = (allowed: Prisma.Sql) => sql`
    WITH RECURSIVE ${allowed}, ${target}, reached AS (
      SELECT id FROM target ${subtree}
    )
    ${tagIds ? replaceTags(viewer, tagIds) : empty}
    ${place?.project ? dropForeignTags(place.project.spaceId, tagIds ? viewer : undefined) : empty}
    ${byPlan ? complete(plan) : assignments.length > 0 ? assign(assignments) : empty}
    ${assignment && assignment.added.length > 0 ? sql`, ${notifyAssigned(viewer.id, newAssignees(assignment))}` : empty}
    SELECT coalesce(json_agg(id), '[]') AS ids, ${written} AS task
      ${completed == null ? empty : sql`, (SELECT json_agg(unplanned) FROM unplanned) AS unplanned`}
    FROM target ${tagIds ? sql`WHERE EXISTS (SELECT FROM removed)` : byPlan ? sql`WHERE EXISTS (SELECT FROM updated)` : empty}`;
  const idsToLock = tagIds ? [...ids, viewer.id] : ids;
  const access = { ids: idsToLock };
  const [row] = await writeStatement<Partial<UpdatedTasks>>(tx, viewer, access, statement);
  const { ids: existing = [], task, unplanned } = row ?? {};
  return { ids: existing, task: task ? taskOf(task) : null, unplanned: unplanned ?? [] };
}

const taskOf = (json: object) =>
  Object.fromEntries(
    Object.entries(json).map(([name, value]: [string, unknown]) => [name, fromJson(columns.get(name) ?? {}, value)]),
  ) as unknown as Task;

type ColumnValue = [column: Prisma.Sql, value: Prisma.Sql];

function fieldAssignments({ fields, parentId, recurrence, endedIds, assignment }: TaskChanges): ColumnValue[] {
  const assignments = fieldsOfInput(taskFields, 'update').flatMap(([name, field]): ColumnValue[] => {
    const value = fields[name];
    if (name === 'dueTime' || value === undefined) return [];
    return [[raw(columnName(name)), valueOf(field, value)]];
  });
  const { isAllDay, dueTime, completed } = fields;
  if (dueTime !== undefined || isAllDay !== undefined) {
    // Kept only while the task has a time of day (contract, part 2).
    const allDay = isAllDay === undefined ? sql`task.is_all_day` : valueOf(taskFields.isAllDay, isAllDay);
    const time = dueTime === undefined ? sql`task.due_time` : valueOf(taskFields.dueTime, dueTime);
    assignments.push([sql`due_time`, sql`CASE WHEN ${allDay} IS FALSE THEN ${time} END`]);
  }
  if (completed != null) {
    // One moment for all: an occurrence and its listed subtasks are completed together.
    const moment = sql`coalesce(task.completed_at, (SELECT clock_timestamp()::timestamptz(3)))`;
    assignments.push([sql`completed_at`, completed ? moment : sql`NULL::timestamptz`]);
  }
  if (parentId !== undefined) assignments.push([sql`parent_id`, sql`${parentId}::text`]);
  if (recurrence !== undefined)
    assignments.push([sql`recurrence`, sql`${recurrence && JSON.stringify(recurrence)}::jsonb`]);
  if (endedIds?.length) {
    assignments.push([sql`recurrence`, sql`CASE WHEN task.id <> ALL (${endedIds}) THEN task.recurrence END`]);
  }
  if (assignment) assignments.push([sql`assignee_ids`, assigneesAfter(assignment)]);
  return assignments;
}

/** The first case is frequent, and faster. */
const assigneesAfter = ({ added, removed }: Assignment) => sql`
  CASE task.assignee_ids WHEN '{}' THEN ${added}::text[] ELSE ARRAY(
    SELECT id FROM unnest(task.assignee_ids || ${added}::text[]) WITH ORDINALITY AS assignee (id, position)
    WHERE ${removed === null ? sql`id = ANY (${added})` : sql`id <> ALL (${removed})`}
    GROUP BY id ORDER BY min(position)
  ) END`;

/** The target has the assignees before the change. */
const newAssignees = ({ added }: Assignment) => sql`
  SELECT target.id AS task_id, user_id FROM target JOIN updated USING (id), unnest(${added}::text[]) AS added (user_id)
  WHERE user_id <> ALL (assignee_ids)`;

function placeAssignments({ project, sectionId }: NonNullable<TaskChanges['place']>): ColumnValue[] {
  const section: ColumnValue = [sql`section_id`, sql`${sectionId}::text`];
  if (!project) return [section];
  return [section, [sql`project_id`, sql`${project.id}::text`], [sql`space_id`, sql`${project.spaceId}::text`]];
}

const writtenColumns = raw([...columns].map(([name, column]) => `task.${column.name} AS "${name}"`).join(', '));

const complete = (plan: Plan) =>
  sql`, updated AS MATERIALIZED (SELECT ${writtenColumns} FROM ${completedByPlan(plan)} AS task)`;

/** Writes only rows that differ: others get no log entry, and keep `updatedAt`. */
function assign(assignments: ColumnValue[]): Prisma.Sql {
  const set = assignments.map(([column, value]) => sql`${column} = ${value}`);
  const differs = assignments.map(([column, value]) => sql`task.${column} IS DISTINCT FROM ${value}`);
  return sql`, updated AS (
      UPDATE tasks AS task SET ${join(set)}, updated_at = now()
      WHERE task.id = ANY (ARRAY(SELECT id FROM reached)) AND (${join(differs, ' OR ')})
      RETURNING ${writtenColumns}
    )`;
}

const replaceTags = (viewer: Viewer, tagIds: string[]) => sql`, removed AS MATERIALIZED (
      SELECT remove_tags(ARRAY(SELECT id FROM target), ${tagSpaceOf(viewer)}, ${tagIds})
    ), added AS (
      INSERT INTO task_tags (task_id, tag_id, space_id)
      SELECT target.id, tag.id, ${tagSpaceOf(viewer)} FROM target, unnest(${tagIds}::text[]) AS tag (id)
      ON CONFLICT DO NOTHING
    )`;

/** Removes tags of non-members of the new space, except `except`. */
const dropForeignTags = (spaceId: string, except: Viewer | undefined) => sql`, dropped AS (
      DELETE FROM task_tags
      WHERE task_id IN (SELECT id FROM reached) AND space_id <> ${except?.id ?? ''}
        AND space_id NOT IN (SELECT user_id FROM memberships WHERE memberships.space_id = ${spaceId})
    )`;

/** Moves a section's tasks with their subtrees. A subtask without its parent becomes a top-level task. */
export async function moveTasksOfSection(
  tx: Database,
  sectionId: string,
  place: { projectId: string; spaceId: string },
) {
  await tx.$executeRaw`
    WITH RECURSIVE reached AS (
      SELECT id FROM tasks WHERE section_id = ${sectionId}
      UNION SELECT tasks.id FROM tasks JOIN reached ON tasks.parent_id = reached.id
    )
    ${dropForeignTags(place.spaceId, undefined)}
    UPDATE tasks SET project_id = ${place.projectId}, space_id = ${place.spaceId}, section_id = ${sectionId},
      parent_id = CASE WHEN parent_id IN (SELECT id FROM reached) THEN parent_id END, updated_at = now()
    WHERE id IN (SELECT id FROM reached)`;
}
