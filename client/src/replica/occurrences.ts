import { dayOf } from '../recurrence/rule.ts';
import * as series from '../recurrence/series.ts';
import { summaryOf } from '../recurrence/summary.ts';
import { localOf } from '../recurrence/zone.ts';
import type { Hints } from './hints.ts';
import { bySortKey, listKey } from './indexes.ts';
import type { RecurrenceInput, UpdateTaskInput } from './mutation-types.ts';
import { keysBetween } from './sort-key.ts';
import { changeTask, remove, subtasksOf, type Table, taskOf } from './tables.ts';
import type { Recurrence, Task } from './types.ts';
import type { Source } from './view.ts';

const noCompletion = { completed: false, completedAt: null };

/** The subtasks of all levels, by sort key. */
const below = (table: Table, id: string): Task[] =>
  subtasksOf(table, id)
    .flatMap((task) => [task, ...below(table, task.id)])
    .sort(bySortKey);

/** The fields of a task that its recurrence determines. */
function dueAt(recurrence: Recurrence) {
  const { date, time } = series.dueOf(recurrence);
  return {
    recurrence,
    dueDate: date,
    dueTime: time?.toISOString() ?? null,
    isAllDay: time === null,
  };
}

/** The due date and time of a subtask, moved by as many days as the date of the occurrence. */
function movedDue({ dueDate, dueTime }: Task, { timeZone, date }: Recurrence, next: Recurrence) {
  const days = dayOf(next.date) - dayOf(date);
  return {
    dueDate: dueDate && series.movedDay(dueDate, days),
    dueTime: dueTime && series.movedTime(new Date(dueTime), days, timeZone).toISOString(),
  };
}

/** Completes a task. If it repeats, its open subtasks too, and makes the next occurrence. */
export function applyCompletion(table: Table, task: Task, hints: Hints, at: string, completedOn?: string): void {
  const { id, recurrence, createdAt } = task;
  const tree = [task, ...(recurrence ? below(table, id) : [])];
  for (const each of tree)
    if (!each.completed) changeTask(table, each, { completed: true, completedAt: at, claim: null }, at);
  if (!recurrence) return;
  const completion = { on: completedOn, created: new Date(createdAt) };
  const next = series.nextOf(recurrence, new Date(at), completion);
  // If an id is taken, the service chooses another one.
  if (!next || tree.some((each) => table.get(series.nextId(each.id)))) return;
  const nextKey = new Map(hints.sortKeys).get(id) ?? null;
  const keys = keysBetween(task.sortKey, nextKey, tree.length);
  for (const [index, each] of tree.entries()) {
    table.set({
      ...each,
      ...noCompletion,
      claim: null,
      recurrence: null,
      ...(each === task ? dueAt(next) : movedDue(each, recurrence, next)),
      id: series.nextId(each.id),
      parentId: each === task ? each.parentId : series.nextId(each.parentId ?? ''),
      sortKey: keys?.[index] ?? each.sortKey,
      createdAt: at,
      updatedAt: at,
    });
  }
}

/** Opens tasks in the order of the service, the latest occurrence first. */
export function applyOpenings(table: Table, tasks: Task[], { parentId }: UpdateTaskInput, at: string): void {
  const rank = ({ recurrence, completedAt }: Task) => `${recurrence?.date} ${completedAt}`;
  const open = new Map<unknown, string>();
  if (tasks.some(({ recurrence }) => recurrence))
    for (const id of table.ids()) {
      const task = taskOf(table, id);
      if (task && repeats(task)) open.set(task.recurrence?.seriesId, id);
    }
  for (const task of tasks.sort((a, b) => rank(b).localeCompare(rank(a))))
    applyOpening(table, task, open, at, parentId);
}

/**
 * Opens a completed task. Removes its next occurrence; if that was changed, the task does not repeat any more.
 * @param open ids of the open occurrences by series
 */
function applyOpening(
  table: Table,
  task: Task,
  open: Map<unknown, string>,
  at: string,
  parentId = task.parentId,
): void {
  const { id, recurrence, completedAt } = task;
  if (!recurrence) return changeTask(table, task, noCompletion, at);
  const next = taskOf(table, open.get(recurrence.seriesId));
  const subtasks = below(table, id);
  const isOwn =
    !repeatsAbove(table, parentId) &&
    !subtasks.some(repeats) &&
    (!next || isUnchanged(table, [next, ...below(table, next.id)], [task, ...subtasks], completedAt));
  changeTask(table, task, { ...noCompletion, recurrence: isOwn ? recurrence : null }, at);
  if (!isOwn) return;
  if (next) remove(table, next.id);
  open.set(recurrence.seriesId, id);
  for (const each of subtasks) if (each.completedAt === completedAt) changeTask(table, each, noCompletion, at);
}

const repeats = ({ recurrence, completed }: Task) => recurrence !== null && !completed;

function repeatsAbove(table: Table, id: string | null): boolean {
  const task = taskOf(table, id);
  return task !== undefined && (repeats(task) || repeatsAbove(table, task.parentId));
}

const tagsOf = (tasks: Task[]) => String(tasks.flatMap(({ tagIds }) => tagIds).sort());

/** Whether tasks are still as the completion of others made them, without the later subtasks of those. */
function isUnchanged(table: Table, tasks: Task[], completed: Task[], at: string | null): boolean {
  const copied = completed.filter(({ createdAt }) => createdAt <= String(at));
  const isNew = ({ id, createdAt, updatedAt }: Task) =>
    createdAt === at && updatedAt === at && subtasksOf(table, id).length === [...table.referrers(id)].length;
  return tasks.length >= copied.length && tagsOf(tasks) === tagsOf(copied) && tasks.every(isNew);
}

export function applySkip(table: Table, id: string, at: string): void {
  const task = taskOf(table, id);
  if (!task?.recurrence || task.completed) return;
  const { recurrence } = task;
  const next = series.nextOf(recurrence, new Date(at));
  if (!next) return;
  changeTask(table, task, dueAt(next), at);
  for (const each of below(table, id)) changeTask(table, each, movedDue(each, recurrence, next), at);
}

/** Returns an open task with another recurrence, or without one. An input that the service refuses changes nothing. */
export function withRecurrence(task: Task, input: RecurrenceInput | null, hints: Hints, at: string): Task {
  const { id, dueDate: date, dueTime, recurrence: current } = task;
  if (task.completed) return task;
  if (!input) return { ...task, recurrence: null };
  try {
    const given = { date, time: dueTime === null ? null : new Date(dueTime) };
    const set = series.setSeries(input, given, { current, now: new Date(at), zone: hints.timeZone ?? 'UTC' });
    const seriesId = current?.seriesId ?? series.seriesIdOf(id);
    const recurrence = { ...set.recurrence, seriesId, summary: summaryOf(set.recurrence) };
    return { ...task, dueDate: set.due.date, dueTime: set.due.time?.toISOString() ?? null, recurrence };
  } catch {
    return task;
  }
}

/**
 * Chooses the day of a completion and the places of the next occurrences.
 * @param input further fields that the completion sets
 * @param zone default of a new series
 */
export function prepareCompletion(
  source: Source,
  ids: readonly string[],
  { recurrence: set }: UpdateTaskInput,
  zone: string | undefined,
) {
  const entities = ids.map((id) => source.entity(id)).filter((entity) => entity?.__typename === 'Task');
  const tasks = entities.filter(({ completed, recurrence }) => !completed && (set === undefined ? recurrence : set));
  const sortKeys = tasks.flatMap((task): [string, string][] => {
    const list = source.list(listKey('Task', 'projectId', task.projectId)) as readonly Task[];
    const next = list[list.indexOf(task) + 1];
    return next ? [[task.id, next.sortKey]] : [];
  });
  const counted = tasks.find(({ recurrence }) => (set?.basis ?? recurrence?.basis) === 'COMPLETION');
  const local = counted && (set?.timeZone ?? counted.recurrence?.timeZone ?? zone);
  return { sortKeys, completedOn: local && localOf(new Date(), local).date };
}
