import { scrollAtEdges } from './auto-scroll.ts';
import { dropMark, ghost } from './drop-mark.tsx';
import { move, movedWith, type Target, targetOf } from './moving.ts';
import { titleOf } from './slots.ts';

/** The ids of the tasks that are being dragged. */
let dragged: readonly string[] = [];
/** The one that was taken hold of. */
let held: HTMLElement | undefined;
/** Where the pointer is, in pixels of the window. */
let pointer = { x: 0, y: 0 };
let frame = 0;

/** Which part of a task is pointed at: its upper and lower quarters are places next to it. */
function edgeAt(row: Element, y: number): 'before' | 'after' | 'onto' {
  const { top, height } = row.getBoundingClientRect();
  const part = (y - top) / height;
  if (part < 0.28) return 'before';
  return part > 0.72 ? 'after' : 'onto';
}

interface Aim {
  readonly target: Target;
  readonly element: Element;
  readonly edge: 'before' | 'after' | 'onto' | 'into';
}

/** What is pointed at, where it can take what is dragged. */
function aim(): Aim | undefined {
  const { x, y } = pointer;
  const at = document.elementFromPoint(x, y);
  const item = at?.closest<HTMLElement>('[data-task]');
  const taskId = item?.dataset['task'];
  const row = item?.querySelector('.row');
  if (item && row && taskId !== undefined && !item.closest('[data-days]')) {
    if (dragged.some((id) => item.closest(`[data-task="${id}"]`))) return undefined;
    // A list that mixes projects is in no order that one could change.
    const edge = item.closest('[data-ordered]') ? edgeAt(row, y) : 'onto';
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

/** Scrolls while what is dragged is held near an edge. */
function followEdges(before: number): void {
  frame = requestAnimationFrame((now) => {
    if (scrollAtEdges(pointer, now - before)) {
      // The mark is where its element was.
      dropMark.value = undefined;
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
  followEdges(performance.now());
}

export const isDragging = (): boolean => dragged.length > 0;

/** Drags to a point. @returns whether a drop there would move anything */
export function dragTo(x: number, y: number): boolean {
  pointer = { x, y };
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
  const on = (type: 'dragstart' | 'dragover' | 'drop' | 'dragend', listener: (event: DragEvent) => void) =>
    document.addEventListener(type, listener, { signal: ended.signal });
  on('dragstart', (event) => {
    // A finger has lifted it already.
    if (isDragging()) return event.preventDefault();
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-task]') : null;
    if (!item || !event.dataTransfer) return;
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', titleOf(item));
    begin(item, event.clientX, event.clientY);
  });
  on('dragover', (event) => {
    if (isDragging() && dragTo(event.clientX, event.clientY)) event.preventDefault();
  });
  on('drop', (event) => {
    if (!isDragging()) return;
    event.preventDefault();
    dragTo(event.clientX, event.clientY);
    drop();
  });
  on('dragend', end);
  return () => ended.abort();
}
