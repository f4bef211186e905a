import { dueDay, projects, type Task, tasks } from 'taskgate-client';
import { addDays, today } from '../app/days.ts';
import { undoLatest } from '../app/notice.ts';
import { taskIdIn } from '../app/paths.ts';
import { canEdit } from '../app/roles.ts';
import { go, openTask } from '../app/router.ts';
import { currentReplica } from '../app/session.ts';
import { requestedField } from '../details/focus.ts';
import { focusTask } from '../tasks/focus-task.ts';
import { lift } from '../tasks/lift.ts';
import { move } from '../tasks/moving.ts';
import { toggle } from '../tasks/selection.ts';
import { complete, setPriority } from '../tasks/task-actions.ts';
import type { texts } from '../texts.ts';
import { openSheet } from './sheets.ts';

export type ActionName = (typeof texts.keys)[number][0];

interface TaskAction {
  readonly ofTask: (task: Task) => void;
  readonly isForReaders?: boolean;
}

export const currentRow = (): HTMLElement | undefined =>
  document.activeElement?.closest<HTMLElement>('main [data-task]') ?? undefined;

/** The task of the focused row, or else of the open details. */
export function currentTask(): Task | undefined {
  const id = currentRow()?.dataset['task'] ?? taskIdIn(location.pathname);
  return id === undefined ? undefined : currentReplica().read(tasks.byId(id));
}

function step(by: 1 | -1): void {
  const current = currentRow();
  // A gap stops the step until its rows are rendered.
  const rows = [
    ...document.querySelectorAll<HTMLElement>(current ? 'main :is([data-task], .gap)' : 'main [data-task]'),
  ];
  const index = current ? rows.indexOf(current) + by : by === 1 ? 0 : rows.length - 1;
  rows[index]?.querySelector<HTMLElement>('.title')?.focus();
}

const focusElement = (id: string) => document.getElementById(id)?.focus();

/** Focuses the field of the page. Some pages have none. */
export function addTask(): void {
  if (document.getElementById('quick-add')) return focusElement('quick-add');
  go('/today');
  requestAnimationFrame(() => focusElement('quick-add'));
}

const edit = (field: 'title' | 'dueDate'): TaskAction => ({
  ofTask: ({ id }) => {
    requestedField.value = field;
    openTask(id);
  },
});

/** A task without a due date moves to today. */
const moveDays = (days: number): TaskAction => ({
  ofTask: (task) => {
    const day = dueDay(task);
    const dueDate = day === null ? today.value : addDays(day, days);
    move([task.id], { input: { dueDate } }, () => focusTask(task.id));
  },
});

function goToInbox(): void {
  const inbox = currentReplica().read(projects.all())[0];
  if (inbox) go(`/projects/${inbox.id}`);
}

/** The actions of the keys and of the palette. */
export const actions: Readonly<Record<ActionName, (() => void) | TaskAction>> = {
  'Ctrl K': () => (openSheet.value = 'commands'),
  q: addTask,
  'Shift Enter': addTask,
  '/': () => focusElement('search'),
  j: () => step(1),
  k: () => step(-1),
  Enter: { ofTask: ({ id }) => openTask(id), isForReaders: true },
  e: edit('title'),
  c: { ofTask: complete },
  1: { ofTask: (task) => setPriority(task, 'HIGH') },
  2: { ofTask: (task) => setPriority(task, 'MEDIUM') },
  3: { ofTask: (task) => setPriority(task, 'LOW') },
  4: { ofTask: (task) => setPriority(task, null) },
  d: edit('dueDate'),
  '[': moveDays(-1),
  ']': moveDays(1),
  x: { ofTask: ({ id }) => toggle(id) },
  Space: { ofTask: ({ id }) => lift(document.querySelector(`main [data-task="${id}"]`)) },
  'Ctrl Z': undoLatest,
  'g t': () => go('/today'),
  'g u': () => go('/upcoming'),
  'g c': () => go('/calendar'),
  'g i': goToInbox,
  'g m': () => go('/assigned'),
  'g n': () => go('/notifications'),
  '?': () => (openSheet.value = 'keys'),
};

export const mayRun = ({ isForReaders = false }: TaskAction, { projectId }: Task): boolean =>
  isForReaders || canEdit(projectId);

export function runAction(name: ActionName): void {
  const action = actions[name];
  if (typeof action === 'function') return action();
  const task = currentTask();
  if (task && mayRun(action, task)) action.ofTask(task);
}
