import { resultOf } from '@taskgate/nested-read';
import { Prisma, type Task } from '../generated/prisma/client.ts';
import { runSql } from '@taskgate/postgres';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import { type Recurrence, seriesIdOf } from '@taskgate/recurrence';
import { onlyRow } from './data.ts';

const { sql } = Prisma;

/** The basis of a task's next occurrence, as the database returns it. */
export interface OccurrenceState {
  recurrence: Recurrence;
  createdAt: string;
  projectId: string;
  sortKey: string;
  nextKey: string | null;
  /** Subtasks of all levels by sort key. */
  below: [id: string, parentId: string, dueDate: string | null, dueTime: string | null][];
}

export interface Unplanned {
  id: string;
  state: OccurrenceState;
  /** Names the state. */
  hash: string;
  now: string;
}

/** A task or subtask, and its copy in the next occurrence. */
export interface PlannedCopy {
  task: string;
  /** The occurrence. */
  root: string;
  /** Columns that differ. Without an `id`, there is no next occurrence. */
  copy: object;
}

/** The copies by occurrence, with the hash of their basis. */
export type Plan = Map<string, { hash: string; copies: PlannedCopy[] }>;

/**
 * `target` of a writing statement: empty if the plan lacks the state of a task that repeats.
 * @param found tasks to complete or open
 */
export const plannedTarget = (found: Prisma.Sql, completed: boolean, plan: Plan) => {
  const hashes = JSON.stringify(Object.fromEntries([...plan].map(([id, { hash }]) => [id, hash])));
  return sql`found AS MATERIALIZED (
      SELECT task.id, task.assignee_ids, task.repeats AND task.completed <> ${completed} AS toggles FROM ${found}
    ), unplanned AS MATERIALIZED (
      SELECT *, md5(state::text) AS hash, (SELECT clock_timestamp()) AS now
      FROM occurrence_states(ARRAY(SELECT id FROM found WHERE toggles))
      WHERE md5(state::text) IS DISTINCT FROM ${hashes}::jsonb ->> id
    ), target AS MATERIALIZED (
      SELECT id, assignee_ids FROM found WHERE NOT EXISTS (SELECT FROM unplanned)
    )`;
};

/** Completes the target, and returns one row. */
export const completedByPlan = (plan: Plan) => sql`complete_tasks(
    ARRAY(SELECT id FROM target),
    (SELECT coalesce(jsonb_object_agg(id, NULL), '{}') FROM target JOIN found USING (id) WHERE toggles),
    ${JSON.stringify([...plan.values()].flatMap(({ copies }) => copies))}::jsonb
  )`;

/** Writes that the history does not count, because the operation also completes the tasks. Call it under the lock. */
export async function beforeCompletion<Result>(tx: Database, write: () => Promise<Result>): Promise<Result> {
  await tx.$executeRaw`SELECT set_config('taskgate.consequence', 'on', true)`;
  const result = await write();
  await tx.$executeRaw`SELECT set_config('taskgate.consequence', '', true)`;
  return result;
}

/** Call it under the lock. */
export const moveSubtasks = (tx: Database, plan: readonly PlannedCopy[]) =>
  tx.$executeRaw`SELECT move_subtasks(${JSON.stringify(plan)}::jsonb)`;

/**
 * Call it under the lock, before the tasks are opened.
 * @param parentId new parent of a task that also moves
 * @returns the tasks that lose their recurrence
 */
export async function reopenOccurrences(tx: Database, viewer: Viewer, ids: string[], parentId?: string | null) {
  const [row] = await tx.$queryRaw<{ ended: string[] }[]>`
    SELECT reopen_occurrences(
      ARRAY(SELECT id FROM tasks WHERE id = ANY (${ids}) AND ${isInSpacesOf(viewer)}),
      ${parentId !== undefined}, ${parentId ?? null}
    ) AS ended`;
  return row?.ended ?? [];
}

/** The basis of a new series. */
export interface SeriesFacts {
  now: Date;
  /** Time zone of the viewer. */
  timeZone: string;
  /** Whether other tasks have the series that belongs to the task's id. */
  isSeriesTaken: boolean;
}

const seriesFacts = (viewer: Viewer, taskId: string) => sql`clock_timestamp() AS now,
  (SELECT time_zone FROM preferences WHERE user_id = ${viewer.id}) AS "timeZone",
  EXISTS (SELECT FROM tasks WHERE recurrence ->> 'seriesId' = ${seriesIdOf(taskId)}) AS "isSeriesTaken"`;

export async function findSeriesFacts(viewer: Viewer, taskId: string): Promise<SeriesFacts> {
  const statement = sql`/* seriesFacts */ SELECT ${seriesFacts(viewer, taskId)}`;
  return onlyRow(await runSql<SeriesFacts>(viewer.connections, statement));
}

interface RecurrenceFacts extends SeriesFacts, Pick<Task, 'dueDate' | 'dueTime' | 'isAllDay' | 'completed'> {
  /** Null if the task does not repeat. */
  state: OccurrenceState | null;
  /** Whether a task above or below repeats. */
  isNested: boolean;
}

/** Call it under the lock. */
export async function findRecurrenceFacts(tx: Database, viewer: Viewer, id: string) {
  const [row] = await runSql<RecurrenceFacts>(
    tx,
    sql`/* recurrenceFacts */
      SELECT due_date AS "dueDate", due_time AS "dueTime", is_all_day AS "isAllDay", completed,
        (SELECT state FROM occurrence_states(ARRAY[id])) AS state,
        repeating_around(id, parent_id) <> '{}' AS "isNested", ${seriesFacts(viewer, id)}
      FROM tasks WHERE id = ${id} AND ${isInSpacesOf(viewer)}`,
  );
  return row;
}

export const idsOfSeries = (seriesId: string) =>
  resultOf(sql`SELECT id FROM tasks WHERE recurrence ->> 'seriesId' = ${seriesId}`);
