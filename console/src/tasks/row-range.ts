import { median } from './anchor-scroll.ts';
import { rowsAbove } from './heights.ts';

/** Rows from index `from` to before `to`, and rows in use elsewhere. */
export interface RowRange {
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly activeIds: readonly string[];
}

/** @param top of the list, in the coordinates of the edges */
export const rangeInView = (
  ids: readonly string[],
  top: number,
  edges: DOMRectReadOnly,
  activeIds: readonly string[],
): RowRange => ({
  ids,
  from: rowsAbove(ids, edges.top - top),
  to: Math.min(ids.length, rowsAbove(ids, edges.bottom - top) + 1),
  activeIds,
});

/** Shifts the range of a changed list by the median movement of its rows. These rows stay in place on the page. */
export function shiftRange(last: RowRange, ids: readonly string[]): RowRange {
  if (last.ids === ids) return last;
  const indexes = new Map(ids.map((id, index) => [id, index]));
  const shifts = last.ids.slice(last.from, last.to).flatMap((id, index) => {
    const newIndex = indexes.get(id);
    return newIndex === undefined ? [] : [newIndex - last.from - index];
  });
  const shift = median(shifts);
  return { ...last, ids, from: Math.max(0, last.from + shift), to: last.to + shift };
}

export const isSameRange = (a: RowRange, b: RowRange): boolean =>
  [a.from, a.to, ...a.activeIds].join() === [b.from, b.to, ...b.activeIds].join();

/** Adds up to `count` rows on the way to the target range. */
export function growRange(last: RowRange, { ids, from, to, activeIds }: RowRange, count: number): RowRange {
  // A distant target starts in its middle, the visible part.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  const [missingAbove, missingBelow] = [Math.max(first - from, 0), Math.max(to - end, 0)];
  const half = Math[missingAbove > missingBelow ? 'ceil' : 'floor'](count / 2);
  const above = Math.min(missingAbove, Math.max(half, count - missingBelow));
  return { ids, from: Math.max(from, first - above), to: Math.min(to, end + count - above), activeIds };
}
