import { dueDay, keyBetween, type Task, tasks, type UpdateTaskInput } from 'taskgate-client';
import { withDueDay } from '../app/due.ts';
import { moveSeries } from '../app/recurrence.ts';
import { change } from '../app/replica.ts';
import { currentReplica } from '../app/session.ts';
import { notify, offerMore } from '../app/notice.ts';
import { type Sort, sortManually } from '../app/display.ts';
import { texts } from '../texts.ts';
import { changeDates } from './change-dates.ts';
import { showSubtasks } from './expanded.ts';
import { selection } from './selection.ts';

/** `input` comes from the `data-drop` of an element, such as a section or a day. */
export type Target =
  { readonly edge: 'before' | 'after' | 'onto'; readonly taskId: string } | { readonly input: UpdateTaskInput };

const readTask = (id: string): Task | undefined => currentReplica().read(tasks.byId(id));

const changedFields = (task: Task, input: UpdateTaskInput): UpdateTaskInput =>
  Object.fromEntries(Object.entries(input).filter(([name, value]) => task[name as keyof Task] !== value));

/** Returns the task's own key if it is there already. Null if no key fits. */
function keyBeside({ id, projectId }: Task, edge: 'before' | 'after', movedTask: Task): string | null {
  const all = currentReplica().read(tasks.byProject(projectId));
  const others = all.filter((task) => task.id !== movedTask.id);
  const index = others.findIndex((task) => task.id === id) + (edge === 'before' ? 0 : 1);
  if (all[index]?.id === movedTask.id) return movedTask.sortKey;
  return keyBetween(others[index - 1]?.sortKey ?? null, others[index]?.sortKey ?? null);
}

export const idsToMove = (id: string): readonly string[] => (selection.value.has(id) ? [...selection.value] : [id]);

/** Returns the tasks without an ancestor among them. Descendants move with their ancestors. */
export function topmostTasks(ids: Iterable<string>): readonly Task[] {
  const all = new Set(ids);
  const isBelow = (task: Task | undefined): boolean =>
    task !== undefined && task.parentId !== null && (all.has(task.parentId) || isBelow(readTask(task.parentId)));
  return [...all].flatMap((id) => readTask(id) ?? []).filter((task) => !isBelow(task));
}

/** @param steps number of mutations so far @returns the new number */
function moveTask(task: Task, target: Target, movesSeries: boolean, steps: number): number {
  const { id, recurrence, completed } = task;
  const text = texts.moved(task.title);
  const update = (input: UpdateTaskInput) => {
    const fields = changedFields(task, input);
    if (Object.keys(fields).length > 0) change('updateTask', { id, input: fields }, text, (steps += 1));
    return steps;
  };
  if ('input' in target) {
    const { dueDate, ...place } = target.input;
    const due = dueDate === undefined ? {} : withDueDay(task, dueDate);
    if (!movesSeries || !recurrence || completed) return update({ ...place, ...due });
    moveSeries(task, recurrence, { ...place, ...due }, text, (steps += 1));
    return steps;
  }
  const { edge, taskId } = target;
  const other = readTask(taskId);
  if (!other || taskId === id) return steps;
  if (edge === 'onto') return update({ parentId: taskId });
  const { projectId, sectionId, parentId } = other;
  const sortKey = keyBeside(other, edge, task);
  update({ projectId, sectionId, parentId, ...(sortKey !== null && { sortKey }) });
  // The neighbours have equal keys, which only the service can renew.
  if (sortKey === null) change('moveTask', { id, [edge]: taskId }, text, (steps += 1));
  return steps;
}

function reveal(id: string, parentId: string): void {
  showSubtasks(parentId);
  requestAnimationFrame(() =>
    document
      .querySelector(`main [data-task="${parentId}"] [data-task="${id}"] .row`)
      ?.scrollIntoView({ block: 'nearest' }),
  );
}

/** Asks first if the day of repeating tasks changes. @param onMoved runs after the change */
export function move(ids: readonly string[], target: Target, onMoved?: () => void): void {
  const isPlace = 'edge' in target || target.input.projectId !== undefined;
  const day = 'input' in target ? target.input.dueDate : undefined;
  const all = isPlace ? topmostTasks(ids) : ids.flatMap((id) => readTask(id) ?? []);
  changeDates(day == null ? [] : all.filter((task) => dueDay(task) !== day), (movesSeries) => {
    let next = target;
    let steps = 0;
    for (const task of all) {
      steps = moveTask(task, next, movesSeries, steps);
      if ('edge' in next && next.edge !== 'onto' && next.taskId !== task.id) next = { edge: 'after', taskId: task.id };
    }
    const [first] = ids;
    if ('edge' in target && target.edge === 'onto' && first !== undefined) reveal(first, target.taskId);
    onMoved?.();
  });
}

/** Says why a task of a sorted list cannot be moved. @returns whether that is so */
export function refuseMove(item: HTMLElement): boolean {
  const sort = item.closest<HTMLElement>('[data-sorted]')?.dataset['sorted'];
  if (sort === undefined) return false;
  notify(texts.sortedBy(texts.sorts[sort as Sort]));
  offerMore(texts.sortManually, sortManually);
  return true;
}

export const targetOf = (element: Element): Target | undefined => {
  const text = element.getAttribute('data-drop');
  return text === null ? undefined : { input: JSON.parse(text) as UpdateTaskInput };
};
