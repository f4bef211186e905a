import { signal } from '@preact/signals';
import { texts } from '../texts.ts';

export const titleOf = (item: Element): string => item.querySelector('.title')?.textContent ?? '';

export const dropMark = signal<{ element: Element; edge: 'before' | 'after' | 'onto' | 'into' } | undefined>(undefined);

/** Browsers draw a drag image only for the mouse. */
export const ghost = signal<{ text: string; x: number; y: number } | undefined>(undefined);

/** A line beside a task, or a frame around the new parent or place. */
export function DropMark() {
  const mark = dropMark.value;
  if (!mark) return null;
  const box = (
    mark.edge === 'into' ? mark.element : (mark.element.querySelector('.row') ?? mark.element)
  ).getBoundingClientRect();
  const isFrame = mark.edge === 'into' || mark.edge === 'onto';
  const style = {
    left: `${box.left}px`,
    width: `${box.width}px`,
    top: `${mark.edge === 'after' ? box.bottom : box.top}px`,
    height: isFrame ? `${box.height}px` : '0',
  };
  return (
    <div class={isFrame ? 'drop-mark frame' : 'drop-mark'} style={style} aria-hidden="true">
      {mark.edge === 'onto' && <span>{texts.placeBelow(titleOf(mark.element))}</span>}
    </div>
  );
}

export function Ghost() {
  if (!ghost.value) return null;
  const { text, x, y } = ghost.value;
  return (
    <div class="ghost" style={{ left: `${x}px`, top: `${y}px` }} aria-hidden="true">
      {text}
    </div>
  );
}
