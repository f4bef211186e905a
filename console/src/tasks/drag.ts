import { scrollAtEdges } from './auto-scroll.ts';
import { dropMark, ghost, titleOf } from './drop-mark.tsx';
import { move, movedWith, type Target, targetOf } from './moving.ts';

/** The ids of the tasks that are being dragged. */
let dragged: readonly string[] = [];
/** The one that was taken hold of. */
let held: HTMLElement | undefined;
/** Where the pointer is, in pixels of the window. */
let pointer = { x: 0, y: 0 };
let frame = 0;

/** A drop onto a task needs a rest: its milliseconds, and the pixels that the pointer may move within it. */
const [ontoRestMs, trembling] = [300, 4];
/** Where the pointer has come to rest, when, and whether that is long enough ago. */
let rest = { x: 0, y: 0, since: 0, isLong: false };
const startRest = (since = performance.now()): void => void (rest = { ...pointer, since, isLong: false });

/** The half of a row that is pointed at; its middle third after a rest there. */
function edgeAt(item: Element, row: Element, y: number): 'before' | 'after' | 'onto' {
  const { top, height } = row.getBoundingClientRect();
  const part = (y - top) / height;
  const mark = dropMark.peek();
  const hasRested = rest.isLong || (mark?.element === item && mark.edge === 'onto');
  if (hasRested && Math.abs(part - 0.5) < 1 / 6) return 'onto';
  return part < 0.5 ? 'before' : 'after';
}

interface Aim {
  readonly target: Target;
  readonly element: Element;
  readonly edge: 'before' | 'after' | 'onto' | 'into';
}

/** The place that is pointed at, if it can take what is dragged. */
function aim(): Aim | undefined {
  const { x, y } = pointer;
  const at = document.elementFromPoint(x, y);
  const item = at?.closest<HTMLElement>('[data-task]');
  const taskId = item?.dataset['task'];
  const row = item?.querySelector('.row');
  if (item && row && taskId !== undefined && !item.closest('[data-days]')) {
    if (dragged.some((id) => item.closest(`[data-task="${id}"]`))) return undefined;
    const edge = edgeAt(item, row, y);
    // A list that mixes projects has no order that users can change.
    if (edge !== 'onto' && !item.closest('[data-ordered]')) return undefined;
    return { target: { edge, taskId }, element: item, edge };
  }
  const place = at?.closest('[data-drop]');
  const target = place && targetOf(place);
  return target ? { target, element: place, edge: 'into' } : undefined;
}

function showAim(): Aim | undefined {
  const found = aim();
  const { value } = dropMark;
  if (value?.element !== found?.element || value?.edge !== found?.edge) dropMark.value = found;
  return found;
}

/** In each frame: scrolls if the pointer is near an edge, and notices a rest. */
function followEdges(before: number): void {
  frame = requestAnimationFrame((now) => {
    if (scrollAtEdges(pointer, now - before)) {
      // The mark is where its element was, and other rows pass below the pointer.
      dropMark.value = undefined;
      startRest(now);
      showAim();
    } else if (!rest.isLong && now - rest.since >= ontoRestMs) {
      rest.isLong = true;
      showAim();
    }
    followEdges(now);
  });
}

/** Begins to drag a task, and those that are selected with it. */
export function begin(item: HTMLElement, x: number, y: number): void {
  dragged = movedWith(item.dataset['task'] ?? '');
  held = item;
  item.setAttribute('data-lifted', '');
  pointer = { x, y };
  startRest();
  followEdges(performance.now());
}

export const isDragging = (): boolean => dragged.length > 0;

/** Drags to a point. @returns whether a drop there would move anything */
export function dragTo(x: number, y: number): boolean {
  pointer = { x, y };
  if (Math.hypot(x - rest.x, y - rest.y) > trembling) startRest();
  return showAim() !== undefined;
}

/** Ends the drag. */
export function end(): void {
  cancelAnimationFrame(frame);
  dragged = [];
  held?.removeAttribute('data-lifted');
  ghost.value = dropMark.value = undefined;
}

/** Moves what is dragged to what is pointed at, and ends the drag. */
export function drop(): void {
  const found = aim();
  if (found) move(dragged, found.target);
  end();
}

/** Has tasks be dragged by mouse: the browser's own drag and drop, for all elements at once. */
export function followMouse(): () => void {
  const ended = new AbortController();
  const on = (
    type: 'dragstart' | 'dragenter' | 'dragover' | 'drop' | 'dragend',
    listener: (event: DragEvent) => void,
  ) => document.addEventListener(type, listener, { signal: ended.signal });
  on('dragstart', (event) => {
    // A finger has lifted it already.
    if (isDragging()) return event.preventDefault();
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-task]') : null;
    if (!item || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', titleOf(item));
    begin(item, event.clientX, event.clientY);
  });
  const over = (event: DragEvent) => {
    if (isDragging() && dragTo(event.clientX, event.clientY)) event.preventDefault();
  };
  on('dragenter', over);
  on('dragover', over);
  on('drop', (event) => {
    if (!isDragging()) return;
    event.preventDefault();
    dragTo(event.clientX, event.clientY);
    drop();
  });
  on('dragend', end);
  return () => ended.abort();
}
