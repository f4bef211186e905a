import { projects, type Task, tasks } from 'taskgate-client';
import { undoLatest } from '../app/notice.ts';
import { taskIdIn } from '../app/paths.ts';
import { canEdit } from '../app/roles.ts';
import { go, openTask } from '../app/router.ts';
import { session, currentReplica } from '../app/session.ts';
import { requestedField } from '../details/focus.ts';
import { moveByKey } from '../tasks/lift.ts';
import { deselectAll, toggle } from '../tasks/selection.ts';
import { complete, priorities, setPriority } from '../tasks/task-actions.ts';
import { isKeySheetOpen } from './key-sheet.tsx';

const currentRow = () => document.activeElement?.closest<HTMLElement>('main [data-task]') ?? undefined;

function currentTask(): Task | undefined {
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
const withTask = (action: (task: Task) => void) => () => {
  const task = currentTask();
  if (task) action(task);
};
const withEditable = (action: (task: Task) => void) =>
  withTask((task) => {
    if (canEdit(task.projectId)) action(task);
  });
const edit = (field: 'title' | 'dueDate') =>
  withEditable(({ id }) => {
    requestedField.value = field;
    openTask(id);
  });

const shortcuts: Readonly<Record<string, () => void>> = {
  '?': () => (isKeySheetOpen.value = true),
  q: () => {
    if (document.getElementById('quick-add')) return focusElement('quick-add');
    // Some pages have no such field.
    go('/today');
    requestAnimationFrame(() => focusElement('quick-add'));
  },
  '/': () => focusElement('search'),
  j: () => step(1),
  k: () => step(-1),
  e: edit('title'),
  d: edit('dueDate'),
  c: withEditable(complete),
  x: withTask(({ id }) => toggle(id)),
  Escape: deselectAll,
  ...Object.fromEntries(
    priorities.map((priority, index) => [index + 1, withEditable((task) => setPriority(task, priority))]),
  ),
};

const goShortcuts: Readonly<Record<string, () => void>> = {
  t: () => go('/today'),
  u: () => go('/upcoming'),
  m: () => go('/assigned'),
  n: () => go('/notifications'),
  i: () => {
    const inbox = currentReplica().read(projects.all())[0];
    if (inbox) go(`/projects/${inbox.id}`);
  },
};

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox], [type=radio]), textarea, select, [contenteditable]');

/** On a keyboard that is not Latin, the position of the key decides, unless its character is a shortcut. */
function characterOf({ key, code, shiftKey }: KeyboardEvent): string {
  const [, physicalKey] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  const usesCharacter = shiftKey || key in shortcuts || /^\p{Script=Latin}+$/u.test(key);
  return usesCharacter ? key : (physicalKey?.toLowerCase() ?? key);
}

/** The time of the last `g`. */
let goPressedAt = Number.NEGATIVE_INFINITY;
const goTimeoutMs = 1500;

function onKeyDown(event: KeyboardEvent): void {
  if (session.value.state !== 'signed in' || event.defaultPrevented || document.querySelector('dialog[open]')) return;
  const isUndo =
    (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && characterOf(event).toLowerCase() === 'z';
  // Fields have their own undo.
  if (isUndo && !isTyping(event.target)) {
    event.preventDefault();
    return undoLatest();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const isControl = event.target instanceof Element && event.target.matches('button, input, summary');
  if (moveByKey(event, isControl ? undefined : currentRow())) return event.preventDefault();
  const isGoShortcut = event.timeStamp - goPressedAt < goTimeoutMs;
  const character = characterOf(event);
  goPressedAt = character === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
  const opensRow = event.key === 'Enter' && event.target instanceof Element && event.target.matches('[data-task]');
  const action = opensRow
    ? withTask(({ id }) => openTask(id))
    : isGoShortcut
      ? goShortcuts[character]
      : shortcuts[character];
  if (!action) return;
  event.preventDefault();
  action();
}

/** The code of keys that an input method handles. Safari reports such a key after the composition. */
const inputMethodCode = 229;

/** Hides the keys of a composition from all handlers. Enter then submits nothing. */
function hideCompositionKeys(event: KeyboardEvent): void {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- Safari has no other sign
  const isHandledByInputMethod = event.keyCode === inputMethodCode;
  if (!event.isComposing && !isHandledByInputMethod) return;
  event.stopImmediatePropagation();
  if (!isHandledByInputMethod && ['Enter', 'Escape'].includes(event.key)) event.preventDefault();
}

export function followKeys(): void {
  addEventListener('keydown', hideCompositionKeys, true);
  document.addEventListener('keydown', onKeyDown);
}
