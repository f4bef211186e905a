import { texts } from '../texts.ts';
import { type Target, targetOf } from './moving.ts';
import { idsOf } from './window.tsx';

/** A place where the keyboard can drop a task. */
export interface Slot {
  readonly list: Element;
  readonly element: Element;
  readonly edge: 'before' | 'after' | 'onto' | 'into';
  readonly target: Target;
  readonly text: string;
}

export const rowsOf = (list: Element) => [...list.querySelectorAll<HTMLElement>(':scope > [data-task]')];
const listName = (list: Element) =>
  list.closest('section[aria-label]')?.getAttribute('aria-label') ??
  document.querySelector('main h1')?.textContent ??
  '';

/** In order: before each task, at the end of each list, then elements that take tasks as a whole. */
export function slots(lifted: Element): Slot[] {
  const ordered = [...document.querySelectorAll('main ul[data-ordered]')].flatMap((list) => slotsIn(list, lifted));
  const wholeTargets = ['main', 'nav']
    .flatMap((part) => [...document.querySelectorAll(`${part} [data-drop]`)])
    .filter((element) => element.checkVisibility() && !element.querySelector('ul[data-ordered]'));
  return [...ordered, ...wholeTargets.flatMap((element) => slotInto(element, texts.placeInto(targetName(element))))];
}

function slotsIn(list: Element, lifted: Element): Slot[] {
  const children = [...list.children].filter((child) => child !== lifted);
  const ids = children.flatMap(idsOf);
  const textAt = (index: number) => texts.placeIn(index + 1, ids.length + 1, listName(list));
  const rows = rowsOf(list).filter((row) => row !== lifted);
  const before = rows.map((element): Slot => {
    const target = { edge: 'before', taskId: element.dataset['task'] ?? '' } as const;
    return { list, element, edge: 'before', target, text: textAt(ids.indexOf(target.taskId)) };
  });
  const last = rows.at(-1);
  if (!last) return slotInto(list.closest('[data-drop]'), textAt(0), list);
  // Rows after this gap are not rendered yet.
  if (last !== children.at(-1)) return before;
  const target = { edge: 'after', taskId: last.dataset['task'] ?? '' } as const;
  return [...before, { list, element: last, edge: 'after', target, text: textAt(ids.length) }];
}

/** Empty if the element is not a target. */
export function slotInto(element: Element | null, text: string, list = element): Slot[] {
  const target = element && targetOf(element);
  return element && list && target ? [{ list, element, edge: 'into', target, text }] : [];
}

const targetName = (element: Element) =>
  element.getAttribute('aria-label') ?? element.querySelector('.name')?.textContent ?? '';

export const isSame = (a: Target, b: Target | undefined): boolean => JSON.stringify(a) === JSON.stringify(b);
