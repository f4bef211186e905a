import { dropMark, move, movedWith, type Target, targetOf } from './moving.ts';

/** The ids of the tasks that are being dragged. */
let dragged: readonly string[] = [];

/** Which part of a task is pointed at: its upper and lower quarters are places beside it. */
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

function aimOf({ target: at, clientY }: DragEvent): Aim | undefined {
  if (!(at instanceof Element)) return undefined;
  const item = at.closest<HTMLElement>('[data-task]');
  const taskId = item?.dataset['task'];
  const row = item?.querySelector('.row');
  if (item && row && taskId !== undefined && !item.closest('[data-days]')) {
    if (dragged.some((id) => item.closest(`[data-task="${id}"]`))) return undefined;
    // A list that mixes projects is in no order that one could change.
    const edge = item.closest('[data-ordered]') ? edgeAt(row, clientY) : 'onto';
    return { target: { edge, taskId }, element: item, edge };
  }
  const place = at.closest('[data-drop]');
  const target = place && targetOf(place);
  return target ? { target, element: place, edge: 'into' } : undefined;
}

/** Has tasks be dragged by mouse and by a long touch: the browser's own drag and drop, for all elements at once. */
export function followDrags(): () => void {
  const ended = new AbortController();
  const on = (type: 'dragstart' | 'dragover' | 'drop' | 'dragend', listener: (event: DragEvent) => void) =>
    document.addEventListener(type, listener, { signal: ended.signal });
  const end = () => {
    dragged = [];
    dropMark.value = undefined;
    document.body.classList.remove('dragging');
  };
  on('dragstart', (event) => {
    const item = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-task]') : null;
    const id = item?.dataset['task'];
    if (!item || id === undefined || !event.dataTransfer) return;
    dragged = movedWith(id);
    event.dataTransfer.effectAllowed = 'move';
    event.dataTransfer.setData('text/plain', item.querySelector('.title')?.textContent ?? '');
    document.body.classList.add('dragging');
  });
  on('dragover', (event) => {
    if (dragged.length === 0) return;
    const aim = aimOf(event);
    if (aim) event.preventDefault();
    const { value } = dropMark;
    if (value?.element !== aim?.element || value?.edge !== aim?.edge) dropMark.value = aim;
  });
  on('drop', (event) => {
    if (dragged.length === 0) return;
    const aim = aimOf(event);
    event.preventDefault();
    if (aim) move(dragged, aim.target);
    end();
  });
  on('dragend', end);
  return () => ended.abort();
}
