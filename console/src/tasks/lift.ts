import { computed, signal } from '@preact/signals';
import { closeOnNavigation } from '../app/router.ts';
import { texts } from '../texts.ts';
import { isDragging } from './drag.ts';
import { dropMark, titleOf } from './drop-mark.tsx';
import { focusTask } from './focus-task.ts';
import { move, idsToMove, refuseMove, type Target } from './moving.ts';
import { isSame, slotInto, rowsOf, type Slot, slots } from './slots.ts';

export const announcement = signal('');

/** The slot is undefined until the first step. */
interface Lifted {
  readonly item: HTMLElement;
  readonly id: string;
  readonly title: string;
  readonly slot: Slot | undefined;
}

export const lifted = signal<Lifted | undefined>(undefined);

/** Whether a task is lifted by keys, or dragged. */
export const isMoving = computed(() => lifted.value !== undefined || isDragging.value);

function show(slot: Slot | undefined): void {
  if (!lifted.value || !slot) return;
  lifted.value = { ...lifted.value, slot };
  slot.element.scrollIntoView({ block: 'nearest' });
  dropMark.value = { element: slot.element, edge: slot.edge };
  announcement.value = slot.text;
}

const isCalendar = () => document.querySelector('main [data-days]') !== null;

function stepDays(by: number): void {
  const cells = [...document.querySelectorAll('main [data-day]')];
  const from = lifted.value?.slot?.element ?? lifted.value?.item.closest('[data-day]');
  const cell = cells[cells.findIndex((each) => each === from) + by];
  if (cell) show(slotInto(cell, cell.querySelector('.hidden')?.textContent ?? '')[0]);
}

/** Skips the lifted item. */
function siblingOf(element: Element, by: 1 | -1, item: Element): Element | null {
  const sibling = by === 1 ? element.nextElementSibling : element.previousElementSibling;
  return sibling === item ? siblingOf(item, by, item) : sibling;
}

/** Moves the target to the next slot and wraps around. In a calendar, moves it by a week. */
function step(by: 1 | -1): void {
  if (!lifted.value) return;
  if (isCalendar()) return stepDays(7 * by);
  const { item, slot: current } = lifted.value;
  // A gap stops the step until its rows are rendered.
  if (siblingOf(current?.element ?? item, by, item)?.matches('.gap')) return;
  const allSlots = slots(item);
  let index = allSlots.findIndex(({ list, target }) => list === current?.list && isSame(target, current.target));
  if (index < 0) {
    // The first step starts at the task, its parent, or its place.
    const list = item.closest('ul[data-ordered]');
    const place = list ?? item.closest('[data-drop]');
    const rowIndex = list ? rowsOf(list).findIndex((row) => row.contains(item)) : by === 1 && !place ? -1 : 0;
    index =
      Math.max(
        allSlots.findIndex((slot) => slot.list === place),
        0,
      ) + rowIndex;
  }
  show(allSlots.at((index + by) % allSlots.length));
}

/** Moves the target to the next column or day. In a list, indents or outdents the task. */
function stepSideways(by: 1 | -1): void {
  if (!lifted.value) return;
  if (isCalendar()) return stepDays(by);
  const { item, slot } = lifted.value;
  const lists = [...document.querySelectorAll('main ul[data-ordered]')];
  const list = slot?.list ?? item.closest('ul');
  if (document.querySelector('main .board') && list) {
    const next = lists[lists.indexOf(list) + by];
    return show(slots(item).find((each) => each.list === next));
  }
  const before = item.previousElementSibling as HTMLElement | null;
  const parent = item.parentElement?.closest<HTMLElement>('[data-task]');
  const [element, edge] = by === 1 ? [before, 'onto' as const] : [parent, 'after' as const];
  const taskId = element?.dataset['task'];
  if (!element?.draggable || !list || taskId === undefined) return;
  const text = edge === 'onto' ? texts.placeBelow(titleOf(element)) : texts.placeAfter(titleOf(element));
  show({ list, element, edge, target: { edge, taskId }, text });
}

function endLift(text: string): void {
  lifted.value?.item.removeAttribute('data-lifted');
  lifted.value = dropMark.value = undefined;
  announcement.value = text;
}

/** @param place the target in words */
export function moveLifted(target: Target, place: string): void {
  if (!lifted.value) return;
  const { id, title } = lifted.value;
  endLift(texts.dropped(title, place));
  move(idsToMove(id), target, () => focusTask(id));
}

function putBack(): void {
  if (lifted.value) endLift(texts.putBack(lifted.value.title));
}

function drop(): void {
  const slot = lifted.value?.slot;
  if (slot) moveLifted(slot.target, slot.text);
  else putBack();
}

closeOnNavigation(putBack);

/** Also the actions of the bar's buttons. */
export const liftedKeys: Readonly<Record<string, () => void>> = {
  ' ': drop,
  Enter: drop,
  Escape: putBack,
  Tab: putBack,
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  ArrowRight: () => stepSideways(1),
  ArrowLeft: () => stepSideways(-1),
};

export function lift(item: HTMLElement | null): void {
  if (!item?.draggable || refuseMove(item)) return;
  const title = titleOf(item);
  lifted.value = { item, id: item.dataset['task'] ?? '', title, slot: undefined };
  item.setAttribute('data-lifted', '');
  announcement.value = texts.lifted(title);
}

/** @returns whether the key was handled */
export function moveByKey(event: KeyboardEvent, item: HTMLElement | undefined): boolean {
  if (!lifted.value) {
    if (event.key !== ' ' || !item?.draggable) return false;
    lift(item);
    return true;
  }
  // The focused button of the bar handles these keys.
  if ([' ', 'Enter', 'Tab'].includes(event.key) && document.activeElement?.closest('.lift-bar')) return false;
  const action = liftedKeys[event.key];
  action?.();
  return action !== undefined;
}
