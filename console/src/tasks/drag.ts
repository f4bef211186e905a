import { computed, signal } from '@preact/signals';
import { scrollAtEdges } from './auto-scroll.ts';
import { dropMark, ghost, titleOf } from './drop-mark.tsx';
import { move, idsToMove, refuseMove, type Target, targetOf } from './moving.ts';

const draggedIds = signal<readonly string[]>([]);
let draggedItem: HTMLElement | undefined;
let pointer = { x: 0, y: 0 };
let frame = 0;

/** How long the pointer rests on a task before a drop onto it, and how many pixels it may move. */
const [ontoRestMs, maxJitterPx] = [300, 4];
let rest = { x: 0, y: 0, since: 0, isLong: false };
const startRest = (since = performance.now()): void => void (rest = { ...pointer, since, isLong: false });

/** After a rest, the middle third of a row means "onto". */
function edgeAt(item: Element, row: Element, y: number): 'before' | 'after' | 'onto' {
  const { top, height } = row.getBoundingClientRect();
  const part = (y - top) / height;
  const mark = dropMark.peek();
  const hasRested = rest.isLong || (mark?.element === item && mark.edge === 'onto');
  if (hasRested && Math.abs(part - 0.5) < 1 / 6) return 'onto';
  return part < 0.5 ? 'before' : 'after';
}

interface DropAim {
  readonly target: Target;
  readonly element: Element;
  readonly edge: 'before' | 'after' | 'onto' | 'into';
}

/** Undefined if the target does not accept the dragged tasks. */
function findAim(): DropAim | undefined {
  const { x, y } = pointer;
  const at = document.elementFromPoint(x, y);
  const item = at?.closest<HTMLElement>('[data-task]');
  const taskId = item?.dataset['task'];
  const row = item?.querySelector('.row');
  if (item?.draggable && row && taskId !== undefined && !item.closest('[data-days]')) {
    if (draggedIds.value.some((id) => item.closest(`[data-task="${id}"]`))) return undefined;
    const edge = edgeAt(item, row, y);
    // Users cannot order a list that mixes projects.
    if (edge !== 'onto' && !item.closest('[data-ordered]')) return undefined;
    return { target: { edge, taskId }, element: item, edge };
  }
  const place = at?.closest('[data-drop]');
  const target = place && targetOf(place);
  return target ? { target, element: place, edge: 'into' } : undefined;
}

function showAim(): DropAim | undefined {
  const aim = findAim();
  const { value } = dropMark;
  if (value?.element !== aim?.element || value?.edge !== aim?.edge) dropMark.value = aim;
  return aim;
}

function followEdges(previousFrame: number): void {
  frame = requestAnimationFrame((now) => {
    if (scrollAtEdges(pointer, now - previousFrame)) {
      // The scroll moved the marked element.
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

/** Drags a task with the rest of its selection. */
export function beginDrag(item: HTMLElement, x: number, y: number): void {
  draggedIds.value = idsToMove(item.dataset['task'] ?? '');
  draggedItem = item;
  item.setAttribute('data-lifted', '');
  pointer = { x, y };
  startRest();
  followEdges(performance.now());
}

export const isDragging = computed(() => draggedIds.value.length > 0);

/** @returns whether the point is a target */
export function dragTo(x: number, y: number): boolean {
  pointer = { x, y };
  if (Math.hypot(x - rest.x, y - rest.y) > maxJitterPx) startRest();
  return showAim() !== undefined;
}

export function endDrag(): void {
  cancelAnimationFrame(frame);
  draggedIds.value = [];
  draggedItem?.removeAttribute('data-lifted');
  ghost.value = dropMark.value = undefined;
}

export function dropAtAim(): void {
  const aim = findAim();
  if (aim) move(draggedIds.value, aim.target);
  endDrag();
}

export function followMouse(): () => void {
  const controller = new AbortController();
  const on = (
    type: 'dragstart' | 'dragenter' | 'dragover' | 'drop' | 'dragend',
    listener: (event: DragEvent) => void,
  ) => document.addEventListener(type, listener, { signal: controller.signal });
  on('dragstart', (event) => {
    // A touch drag is in progress.
    if (isDragging.value) return event.preventDefault();
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-task]') : null;
    if (!item?.draggable || !event.dataTransfer) return;
    if (refuseMove(item)) return event.preventDefault();
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', titleOf(item));
    beginDrag(item, event.clientX, event.clientY);
  });
  const onDragOver = (event: DragEvent) => {
    if (isDragging.value && dragTo(event.clientX, event.clientY)) event.preventDefault();
  };
  on('dragenter', onDragOver);
  on('dragover', onDragOver);
  on('drop', (event) => {
    if (!isDragging.value) return;
    event.preventDefault();
    dragTo(event.clientX, event.clientY);
    dropAtAim();
  });
  on('dragend', endDrag);
  return () => controller.abort();
}
