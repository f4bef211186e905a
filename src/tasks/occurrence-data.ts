import { resultOf } from '@taskgate/nested-read';
import { Prisma, type Task } from '../generated/prisma/client.ts';
import { runSql } from '@taskgate/postgres';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { isInSpacesOf } from '../platform/policy.ts';
import { type Recurrence, seriesIdOf } from '../recurrence/rules.ts';

const { sql } = Prisma;

/** What the next occurrence of a task follows from, as the database returns it. */
export interface OccurrenceState {
  recurrence: Recurrence;
  createdAt: string;
  projectId: string;
  sortKey: string;
  nextKey: string | null;
  /** Subtasks of all levels by sort key. */
  below: [id: string, dueDate: string | null, dueTime: string | null][];
}

export interface Unplanned {
  id: string;
  state: OccurrenceState;
  /** Names the state. */
  hash: string;
  now: string;
}

/** Hashes of the planned states by task. */
export type PlannedStates = Readonly<Record<string, string>>;

/**
 * `target` of a writing statement: empty if the plan lacks a state.
 * @param found tasks to complete or open
 */
export const plannedTarget = (found: Prisma.Sql, completed: boolean, plan: PlannedStates) =>
  sql`found AS MATERIALIZED (
      SELECT task.id, task.repeats AND task.completed <> ${completed} AS toggles FROM ${found}
    ), planned AS MATERIALIZED (
      SELECT key AS id, value AS hash FROM jsonb_each_text(${JSON.stringify(plan)}::jsonb)
    ), unplanned AS MATERIALIZED (
      SELECT state.*, md5(state.state::text) AS hash, clock_timestamp() AS now
      FROM occurrence_states(ARRAY(SELECT id FROM found WHERE toggles)) AS state LEFT JOIN planned ON planned.id = state.id
      WHERE planned.hash IS DISTINCT FROM md5(state.state::text)
    ), target AS MATERIALIZED (
      SELECT id FROM found WHERE NOT EXISTS (SELECT FROM unplanned)
    )`;

export const toggledAndUnplanned = sql`ARRAY(SELECT id FROM found WHERE toggles) AS toggled,
  (SELECT json_agg(unplanned) FROM unplanned) AS unplanned`;

/** A task or subtask, and its copy in the next occurrence. */
export interface PlannedCopy {
  task: string;
  /** The occurrence. */
  root: string;
  /** Absent if there is no next occurrence. */
  id?: string;
  sortKey?: string;
  dueDate?: string | null;
  dueTime?: Date | null;
  recurrence?: Recurrence;
}

/** Call it under the lock, after the occurrences were completed. */
export const makeOccurrences = (tx: Database, plan: readonly PlannedCopy[]) =>
  tx.$executeRaw`SELECT make_occurrences(${JSON.stringify(plan)}::jsonb)`;

/** Call it under the lock. */
export const moveSubtasks = (tx: Database, plan: readonly PlannedCopy[]) =>
  tx.$executeRaw`SELECT move_subtasks(${JSON.stringify(plan)}::jsonb)`;

/**
 * Call it under the lock, before the tasks are opened.
 * @param parentId new parent of a task that also moves
 * @returns the tasks that lose their recurrence
 */
export async function reopenOccurrences(tx: Database, ids: readonly string[], parentId?: string | null) {
  const [row] = await tx.$queryRaw<{ ended: string[] }[]>`
    SELECT reopen_occurrences(${[...ids]}, ${parentId !== undefined}, ${parentId ?? null}) AS ended`;
  return row?.ended ?? [];
}

/** What a new series depends on. */
export interface SeriesFacts {
  now: Date;
  /** Of the viewer. */
  timeZone: string;
  /** Whether other tasks have the series that belongs to the task's id. */
  isSeriesTaken: boolean;
}

const seriesFacts = (viewer: Viewer, taskId: string) => sql`clock_timestamp() AS now,
  (SELECT time_zone FROM preferences WHERE user_id = ${viewer.id}) AS "timeZone",
  EXISTS (SELECT FROM tasks WHERE recurrence ->> 'seriesId' = ${seriesIdOf(taskId)}) AS "isSeriesTaken"`;

export async function findSeriesFacts(viewer: Viewer, taskId: string): Promise<SeriesFacts> {
  const statement = sql`/* seriesFacts */ SELECT ${seriesFacts(viewer, taskId)}`;
  const [row] = await runSql<SeriesFacts>(viewer.connections, statement);
  if (!row) throw new Error('a statement that returns one row returned none');
  return row;
}

export interface RecurrenceFacts extends SeriesFacts, Pick<Task, 'dueDate' | 'dueTime' | 'isAllDay' | 'completed'> {
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
