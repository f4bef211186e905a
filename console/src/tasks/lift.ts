import { signal } from '@preact/signals';
import { texts } from '../texts.ts';
import { dropMark, move, movedWith, type Target, targetOf } from './moving.ts';

/** What the live region says of a move by keyboard. */
export const spoken = signal('');

/** A place that a lifted task can go to. */
interface Slot {
  readonly list: Element;
  readonly element: Element;
  readonly edge: 'before' | 'after' | 'onto' | 'into';
  readonly target: Target;
  readonly text: string;
}

/** What is lifted, and where it would be dropped: at first nowhere else. */
let lifted:
  { readonly item: HTMLElement; readonly id: string; readonly title: string; slot: Slot | undefined } | undefined;

const titleOf = (item: Element) => item.querySelector('.title')?.textContent ?? '';
const rowsOf = (list: Element) => [...list.querySelectorAll<HTMLElement>(':scope > [data-task]')];
const nameOf = (list: Element) =>
  list.closest('section[aria-label]')?.getAttribute('aria-label') ??
  document.querySelector('main h1')?.textContent ??
  '';

/** All places of the page in their order: before each task of each list, and the ends of lists. */
function slots(): Slot[] {
  return [...document.querySelectorAll('main ul[data-ordered]')].flatMap((list) => {
    const rows = rowsOf(list).filter((row) => row !== lifted?.item);
    const count = rows.length + 1;
    const before = rows.map((element, index): Slot => {
      const target = { edge: 'before', taskId: element.dataset['task'] ?? '' } as const;
      return { list, element, edge: 'before', target, text: texts.placeIn(index + 1, count, nameOf(list)) };
    });
    const last = rows.at(-1);
    const place = list.closest('[data-drop]');
    const into = place && targetOf(place);
    const text = texts.placeIn(count, count, nameOf(list));
    if (last) {
      const target = { edge: 'after', taskId: last.dataset['task'] ?? '' } as const;
      return [...before, { list, element: last, edge: 'after', target, text }];
    }
    return into ? [...before, { list, element: place, edge: 'into', target: into, text }] : before;
  });
}

function show(slot: Slot | undefined): void {
  if (!lifted || !slot) return;
  lifted.slot = slot;
  dropMark.value = { element: slot.element, edge: slot.edge };
  slot.element.scrollIntoView({ block: 'nearest' });
  spoken.value = slot.text;
}

const isCalendar = () => document.querySelector('main [data-days]') !== null;

/** So many days before or after the present one, within the month that is shown. */
function stepDays(by: number): void {
  const cells = [...document.querySelectorAll('main [data-day]')];
  const from = lifted?.slot?.element ?? lifted?.item.closest('[data-day]');
  const element = cells[cells.findIndex((cell) => cell === from) + by];
  const target = element && targetOf(element);
  if (!element || !target) return;
  show({ list: element, element, edge: 'into', target, text: element.querySelector('.hidden')?.textContent ?? '' });
}

/** Places before and after the present one in the order of the page; weeks in a calendar. */
function step(by: 1 | -1): void {
  if (isCalendar()) return stepDays(7 * by);
  const all = slots();
  const current = lifted?.slot;
  let at = all.findIndex(({ list, target }) => list === current?.list && isSame(target, current.target));
  if (at < 0 && lifted) {
    // It has not been moved: its own place is before what stands behind it.
    const list = lifted.item.closest('ul');
    const own = list ? rowsOf(list).indexOf(lifted.item) : 0;
    at = all.findIndex((slot) => slot.list === list) + own;
  }
  show(all[at + by]);
}

const isSame = (a: Target, b: Target | undefined) => JSON.stringify(a) === JSON.stringify(b);

/** The next column of a board, or day of a calendar; in a list: below the task before it, and out again. */
function turn(by: 1 | -1): void {
  if (!lifted) return;
  if (isCalendar()) return stepDays(by);
  const lists = [...document.querySelectorAll('main ul[data-ordered]')];
  const list = lifted.slot?.list ?? lifted.item.closest('ul');
  if (document.querySelector('main .board') && list) {
    const next = lists[lists.indexOf(list) + by];
    return show(slots().find((slot) => slot.list === next));
  }
  const before = lifted.item.previousElementSibling as HTMLElement | null;
  const parent = lifted.item.parentElement?.closest<HTMLElement>('[data-task]');
  const [element, edge] = by === 1 ? [before, 'onto' as const] : [parent, 'after' as const];
  const taskId = element?.dataset['task'];
  if (!element || !list || taskId === undefined) return;
  const text = edge === 'onto' ? texts.placeBelow(titleOf(element)) : texts.placeBehind(titleOf(element));
  show({ list, element, edge, target: { edge, taskId }, text });
}

function end(text: string): void {
  lifted?.item.removeAttribute('data-lifted');
  lifted = undefined;
  dropMark.value = undefined;
  spoken.value = text;
}

function drop(): void {
  if (!lifted) return;
  const { id, title, slot } = lifted;
  end(slot ? texts.dropped(title, slot.text) : texts.putBack(title));
  if (!slot) return;
  move(movedWith(id), slot.target);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(`main [data-task="${id}"] .title`)?.focus());
}

const keys: Readonly<Record<string, () => void>> = {
  ' ': drop,
  Enter: drop,
  Escape: () => end(texts.putBack(lifted?.title ?? '')),
  Tab: () => end(texts.putBack(lifted?.title ?? '')),
  ArrowDown: () => step(1),
  ArrowUp: () => step(-1),
  ArrowRight: () => turn(1),
  ArrowLeft: () => turn(-1),
};

/** Lifts a task by Space, and moves what is lifted. @returns whether the key was for it */
export function moveByKey(event: KeyboardEvent, item: HTMLElement | undefined): boolean {
  if (!lifted) {
    if (event.key !== ' ' || !item) return false;
    const title = titleOf(item);
    lifted = { item, id: item.dataset['task'] ?? '', title, slot: undefined };
    item.setAttribute('data-lifted', '');
    spoken.value = texts.lifted(title);
    return true;
  }
  const act = keys[event.key];
  act?.();
  return act !== undefined;
}
