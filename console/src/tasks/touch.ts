import { begin, drop, dragTo, end, isDragging } from './drag.ts';
import { ghost, titleOf } from './drop-mark.tsx';

/** How long a finger rests on a task to lift it, and how many pixels it may move. The long press of browsers comes later. */
const [restMs, trembling] = [350, 8];

/** Without the rest, the finger scrolls. */
export function followTouch(): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const on = <Type extends 'touchstart' | 'touchmove' | 'touchend' | 'touchcancel' | 'contextmenu'>(
    type: Type,
    listener: (event: DocumentEventMap[Type]) => void,
  ) => document.addEventListener(type, listener, { signal, passive: false });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let start = { clientX: 0, clientY: 0 };
  let hasLifted = false;
  const letGo = () => {
    clearTimeout(timer);
    if (hasLifted) end();
    hasLifted = false;
  };
  on('touchstart', ({ target, touches }) => {
    letGo();
    const [touch, another] = touches;
    const item = target instanceof Element ? target.closest<HTMLElement>('main [data-task]') : null;
    if (!touch || another || !item) return;
    start = touch;
    timer = setTimeout(() => {
      if (isDragging()) return;
      hasLifted = true;
      begin(item, start.clientX, start.clientY);
      ghost.value = { text: titleOf(item), x: start.clientX, y: start.clientY };
    }, restMs);
  });
  on('touchmove', (event) => {
    const [{ clientX: x, clientY: y } = start] = event.changedTouches;
    if (!hasLifted) {
      if (Math.hypot(x - start.clientX, y - start.clientY) > trembling) clearTimeout(timer);
      return;
    }
    event.preventDefault();
    if (ghost.value) ghost.value = { ...ghost.value, x, y };
    dragTo(x, y);
  });
  on('touchend', (event) => {
    // Prevents a click after the drop.
    if (hasLifted) event.preventDefault();
    if (hasLifted) drop();
    letGo();
  });
  on('touchcancel', letGo);
  on('contextmenu', (event) => {
    if (hasLifted) event.preventDefault();
  });
  return () => {
    letGo();
    ended.abort();
  };
}
