import { keyBetween, type Task, tasks, type UpdateTaskInput } from 'taskgate-client';
import { change } from '../app/replica.ts';
import { theReplica } from '../app/session.ts';
import { texts } from '../texts.ts';
import { onDay } from './due.ts';
import { selection } from './selection.ts';

/** Where tasks are to go: next to a task, below it, or to what an element says by `data-drop`, such as a section or a day. */
export type Target =
  { readonly edge: 'before' | 'after' | 'onto'; readonly taskId: string } | { readonly input: UpdateTaskInput };

const held = (id: string): Task | undefined => theReplica().read(tasks.byId(id));

/** The fields of an input that say something else than the task. */
const differing = (task: Task, input: UpdateTaskInput): UpdateTaskInput =>
  Object.fromEntries(Object.entries(input).filter(([name, value]) => task[name as keyof Task] !== value));

/** The key right before or after a task, among all tasks of its project. */
function keyBeside({ id, projectId }: Task, edge: 'before' | 'after', moved: string): string | null {
  const list = theReplica()
    .read(tasks.byProject(projectId))
    .filter((task) => task.id !== moved);
  const at = list.findIndex((task) => task.id === id) + (edge === 'before' ? 0 : 1);
  return keyBetween(list[at - 1]?.sortKey ?? null, list[at]?.sortKey ?? null);
}

function inputOf(target: Target, task: Task): UpdateTaskInput {
  if ('input' in target) {
    const { dueDate, ...place } = target.input;
    return differing(task, { ...place, ...(dueDate !== undefined && onDay(task, dueDate)) });
  }
  const { edge, taskId } = target;
  const other = held(taskId);
  if (!other || taskId === task.id) return {};
  if (edge === 'onto') return differing(task, { parentId: taskId });
  const { projectId, sectionId, parentId } = other;
  const sortKey = keyBeside(other, edge, task.id);
  return differing(task, { projectId, sectionId, parentId, ...(sortKey !== null && { sortKey }) });
}

/** The tasks that move where one of them is taken: all that are selected with it. */
export const movedWith = (id: string): readonly string[] => (selection.value.has(id) ? [...selection.value] : [id]);

/** Moves tasks, in their order. */
export function move(ids: readonly string[], target: Target): void {
  // Each goes right after the one before it.
  let next = target;
  let steps = 0;
  for (const id of ids) {
    const task = held(id);
    const input = task && inputOf(next, task);
    if (!task || !input || Object.keys(input).length === 0) continue;
    steps += 1;
    change('updateTask', { id, input }, texts.moved(task.title), steps);
    if ('edge' in next && next.edge !== 'onto') next = { edge: 'after', taskId: id };
  }
}

/** What an element says by `data-drop`. */
export const targetOf = (element: Element): Target | undefined => {
  const text = element.getAttribute('data-drop');
  return text === null ? undefined : { input: JSON.parse(text) as UpdateTaskInput };
};
