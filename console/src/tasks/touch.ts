import { beginDrag, dropAtAim, dragTo, endDrag, isDragging } from './drag.ts';
import { ghost, titleOf } from './drop-mark.tsx';
import { refuseMove } from './moving.ts';

/** How long a finger rests on a task to lift it, and how many pixels it may move. The long press of browsers comes later. */
const [liftMs, maxJitterPx] = [350, 8];

/** Without the rest, the finger scrolls. */
export function followTouch(): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const on = <Type extends 'touchstart' | 'touchmove' | 'touchend' | 'touchcancel' | 'contextmenu'>(
    type: Type,
    listener: (event: DocumentEventMap[Type]) => void,
  ) => document.addEventListener(type, listener, { signal, passive: false });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { clientX: 0, clientY: 0 };
  let hasLifted = false;
  const cancelLift = () => {
    clearTimeout(timer);
    if (hasLifted) endDrag();
    hasLifted = false;
  };
  on('touchstart', ({ target, touches }) => {
    cancelLift();
    const [touch, secondTouch] = touches;
    const item = target instanceof Element ? target.closest<HTMLElement>('main [data-task]') : null;
    if (!touch || secondTouch || !item?.draggable) return;
    start = touch;
    timer = setTimeout(() => {
      if (isDragging.value || refuseMove(item)) return;
      hasLifted = true;
      beginDrag(item, start.clientX, start.clientY);
      ghost.value = { text: titleOf(item), x: start.clientX, y: start.clientY };
    }, liftMs);
  });
  on('touchmove', (event) => {
    const [{ clientX: x, clientY: y } = start] = event.changedTouches;
    if (!hasLifted) {
      if (Math.hypot(x - start.clientX, y - start.clientY) > maxJitterPx) clearTimeout(timer);
      return;
    }
    event.preventDefault();
    if (ghost.value) ghost.value = { ...ghost.value, x, y };
    dragTo(x, y);
  });
  on('touchend', (event) => {
    // Prevents a click after the drop.
    if (hasLifted) event.preventDefault();
    if (hasLifted) dropAtAim();
    cancelLift();
  });
  on('touchcancel', cancelLift);
  on('contextmenu', (event) => {
    if (hasLifted) event.preventDefault();
  });
  return () => {
    cancelLift();
    controller.abort();
  };
}
