import { invalid } from '@taskgate/base';
import type { Task } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { isId, newId } from '../platform/ids.ts';
import { keysBetween } from '../platform/sort-key.ts';
import { write } from '../platform/write.ts';
import * as series from '@taskgate/recurrence';
import { type RecurrenceInput, setRecurrence } from '../recurrence/rules.ts';
import { nested } from './placement.ts';
import { renewKeysOfProject } from './data.ts';
import * as data from './occurrence-data.ts';
import { noTasks, type TaskChanges, type UpdatedTasks, writeTasks } from './update-data.ts';

/** Milliseconds of planning until other requests have their turn. */
const planningMs = 5;

/**
 * Changes tasks. Completing an occurrence also makes the next one; opening it takes the next one back. Tasks that do
 * not repeat need one statement.
 * @param tx see `writeStatement`
 * @param completedOn day of the completion. Null: today
 */
export async function changeTasks(
  tx: Database | null,
  viewer: Viewer,
  ids: string[],
  changes: TaskChanges,
  completedOn: string | null,
): Promise<UpdatedTasks> {
  const { completed, ...others } = changes.fields;
  if (tx && completed === false) {
    const endedIds = await data.reopenOccurrences(tx, viewer, ids, changes.parentId);
    return writeTasks(tx, viewer, ids, { ...changes, endedIds }, null);
  }
  const isCompletion = completed === true && Object.keys({ ...changes, ...others }).length === 1;
  const plan: data.Plan = new Map();
  for (let tries = 0; tries < (isCompletion ? 2 : 1); tries += 1) {
    const written = await writeTasks(tx, viewer, ids, changes, plan);
    if (written.unplanned.length === 0) return written;
    // Without the lock, because a rule may need milliseconds.
    if (isCompletion) await addTo(plan, viewer, written.unplanned, completedOn);
  }
  const change = async (locked: Database, caller: Viewer) => {
    if (!completed) return changeTasks(locked, caller, ids, changes, null);
    // The next occurrence has the new values.
    if (!isCompletion)
      await data.beforeCompletion(locked, () => writeTasks(locked, caller, ids, { ...changes, fields: others }, null));
    for (;;) {
      const result = await writeTasks(locked, caller, ids, { fields: { completed } }, plan);
      if (result.unplanned.length === 0) return result;
      const crowded = await addTo(plan, caller, result.unplanned, completedOn);
      for (const projectId of crowded) await renewKeysOfProject(locked, projectId);
    }
  };
  if (tx) return change(tx, viewer);
  return write(viewer, { ids: changes.tagIds ? [...ids, viewer.id] : ids }, change);
}

/** Plans occurrences, or plans them again. @returns projects without room for sort keys behind some of them */
async function addTo(
  plan: data.Plan,
  { connections, id: viewerId }: Viewer,
  unplanned: data.Unplanned[],
  completedOn: string | null,
): Promise<Set<string>> {
  const crowded = new Set<string>();
  // Many tasks have equal recurrences.
  const known = new Map<string, series.Recurrence>();
  let turnEnds = 0;
  for (const { id, state, hash, now } of unplanned) {
    if (performance.now() > turnEnds) {
      await connections.turns.next(viewerId, true);
      turnEnds = performance.now() + planningMs;
    }
    const { recurrence, createdAt } = state;
    const key = JSON.stringify([{ ...recurrence, seriesId: null }, recurrence.basis === 'COMPLETION' && createdAt]);
    const completion = { on: completedOn, created: new Date(createdAt) };
    const next = known.get(key) ?? series.nextOf(recurrence, new Date(now), completion);
    if (next) known.set(key, next);
    const copies = copiesOf(id, state, next && { ...next, seriesId: recurrence.seriesId });
    if (copies) plan.set(id, { hash, copies });
    else crowded.add(state.projectId);
  }
  return crowded;
}

/** Null if no sort keys fit. */
function copiesOf(
  id: string,
  state: data.OccurrenceState,
  next: series.Recurrence | undefined,
): data.PlannedCopy[] | null {
  const below = movedSubtasks(id, state, next);
  if (!next) return [{ task: id, root: id, copy: {} }, ...below];
  const { date: due_date, time: due_time } = series.dueOf(next);
  const own = { due_date, due_time, is_all_day: due_time === null, recurrence: next };
  const tree = [{ task: id, root: id, copy: own }, ...below];
  const keys = keysBetween(state.sortKey, state.nextKey, tree.length);
  const withKey = ({ task, root, copy }: data.PlannedCopy, index: number) => {
    return { task, root, copy: { ...copy, id: series.nextId(task), sort_key: keys?.[index] } };
  };
  return keys && tree.map(withKey);
}

/** The subtasks with their due dates and times, moved by as many days as the occurrence's date. */
function movedSubtasks(
  root: string,
  { recurrence: { date, timeZone }, below }: data.OccurrenceState,
  next: series.Recurrence | undefined,
): data.PlannedCopy[] {
  const days = next ? series.dayOf(next.date) - series.dayOf(date) : 0;
  return below.map(([task, parentId, dueDate, dueTime]) => ({
    task,
    root,
    copy: {
      parent_id: series.nextId(parentId),
      due_date: dueDate && series.movedDay(dueDate, days),
      due_time: dueTime === null ? null : series.movedTime(new Date(dueTime), days, timeZone),
      recurrence: null,
    },
  }));
}

/**
 * Moves an open occurrence to its next date.
 * @throws NOT_FOUND; VALIDATION_FAILED
 */
export async function skipOccurrence(viewer: Viewer, id: string): Promise<string> {
  if (!isId('Task', id)) throw notFound('Task');
  await viewer.connections.turns.next(viewer.id, true);
  await write(viewer, { ids: [id] }, async (tx, caller) => {
    const { state, completed, now } = orNotFound(await data.findRecurrenceFacts(tx, caller, id), 'Task');
    if (!state || completed) throw invalid('id', 'must be the id of an open task that repeats');
    const next = series.nextOf(state.recurrence, now);
    if (!next) throw invalid('id', 'must be the id of a task with a later date');
    const { date, time } = series.dueOf(next);
    const fields = { dueDate: new Date(date), dueTime: time, isAllDay: time === null };
    await writeTasks(tx, caller, [id], { fields, recurrence: next }, null);
    await data.moveSubtasks(tx, movedSubtasks(id, state, next));
  });
  return id;
}

type Due = Pick<Task, 'dueDate' | 'dueTime' | 'isAllDay'>;

/** @param due after the change @returns due date and time, and the recurrence @throws VALIDATION_FAILED */
function repeating(
  id: string,
  input: RecurrenceInput,
  { dueDate, dueTime, isAllDay }: Due,
  { now, timeZone, isSeriesTaken }: data.SeriesFacts,
  current: series.Recurrence | null,
) {
  const given = { dueDate, dueTime: isAllDay === false ? dueTime : null };
  const options = { current, now, zone: timeZone };
  const { recurrence, due } = setRecurrence('input.recurrence', input, given, options);
  const newSeries = isSeriesTaken ? newId('Series') : series.seriesIdOf(id);
  return {
    dueDate: new Date(due.date),
    dueTime: due.time,
    recurrence: { ...recurrence, seriesId: recurrence.seriesId ?? newSeries },
  };
}

/** @returns due date and time of a new task, and its recurrence @throws VALIDATION_FAILED */
export async function newOccurrence(viewer: Viewer, task: Due & { id: string }, input: RecurrenceInput) {
  const facts = await data.findSeriesFacts(viewer, task.id);
  await viewer.connections.turns.next(viewer.id, true);
  return repeating(task.id, input, task, facts, null);
}

/**
 * Sets or ends the recurrence of a task, with other changes. A move and an opening come first, a completion last.
 * @param input null: the task does not repeat any more
 * @throws VALIDATION_FAILED
 */
export async function changeRecurrence(
  tx: Database,
  viewer: Viewer,
  id: string,
  { fields: { completed, ...fields }, ...changes }: TaskChanges,
  input: RecurrenceInput | null,
  completedOn: string | null,
): Promise<UpdatedTasks> {
  if (completed === false || Object.keys(changes).length > 0) {
    const opening = completed === false ? { completed } : {};
    await changeTasks(tx, viewer, [id], { ...changes, fields: opening }, null);
  }
  const facts = await data.findRecurrenceFacts(tx, viewer, id);
  if (!facts) return noTasks;
  const current = facts.state?.recurrence ?? null;
  const isEnded = !input && !current;
  if (facts.completed && !isEnded) throw invalid('input.recurrence', 'must not change while the task is completed');
  if (input && facts.isNested) throw nested('recurrence');
  const { dueDate = facts.dueDate, dueTime = facts.dueTime, isAllDay = facts.isAllDay } = fields;
  const set = input ? repeating(id, input, { dueDate, dueTime, isAllDay }, facts, current) : { recurrence: null };
  const { recurrence: changed, ...due } = set;
  const writeOthers = () => writeTasks(tx, viewer, [id], { fields: { ...fields, ...due }, recurrence: changed }, null);
  if (completed !== true) return writeOthers();
  await data.beforeCompletion(tx, writeOthers);
  return changeTasks(tx, viewer, [id], { fields: { completed } }, completedOn);
}
