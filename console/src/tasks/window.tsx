import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isPrinting } from '../app/printing.ts';
import { dropMark } from './drop-mark.tsx';
import { heightOf, measure, rowsAbove } from './heights.ts';
import { holdPlace, median } from './hold-place.ts';

/** Lists up to this length are rendered completely. */
const wholeRows = 60;
/** Rendered distance beyond the window, in pixels. It covers a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that one frame adds. Few rows keep the frame short. */
const frameRows = { scrolled: 1, still: 2 };
/** About 30 rows per second. Nobody reads a list that scrolls faster, so its rows are rendered when it slows down. */
const readablePxPerMs = 1.5;
/** Time until the speed is checked again. */
const restMs = 50;
/** Rendered rows on each side of the focused one, for keys that are faster than rendering. */
const usedRows = 8;
/** Rows in the first frame of a page. Only its first long list, the visible one, gets them. */
const firstRows = 8;

/** The rows near the window, from index `from` to before `to`, and rows in use elsewhere. */
interface Shown {
  readonly ids: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly usedIds: readonly string[];
}

let firstRowsLeft = firstRows;
function takeFirstRows(): number {
  const taken = firstRowsLeft;
  firstRowsLeft = 0;
  requestAnimationFrame(() => (firstRowsLeft = firstRows));
  return taken;
}

/** Rows that are not rendered: the first index, the ids, and the height in pixels. The name keeps the element between renders. */
interface GapProps {
  readonly name: string;
  readonly from: number;
  readonly ids: readonly string[];
  readonly height: number;
}

/** The index of a rendered row, or a gap. */
type Part = number | GapProps;

const gaps = new WeakMap<Element, GapProps>();

/** Returns the task ids of a list's child: a row or a gap. */
export const idsOf = (child: Element): readonly string[] =>
  gaps.get(child)?.ids ?? [child.getAttribute('data-task') ?? ''];

/** Returns the ids of all tasks of the page in order, including tasks in gaps. */
export const idsOfPage = (): readonly string[] =>
  [...document.querySelectorAll('main :is([data-task], .gap)')].flatMap(idsOf);

/** A placeholder for rows that are not rendered. */
export const Gap = (props: GapProps) => (
  <li
    class="gap"
    aria-hidden="true"
    style={{ height: `${props.height}px` }}
    ref={(element: Element | null) => void (element && gaps.set(element, props))}
  />
);

/** Returns the ids of the focused row, the lifted row and the target. These rows must stay rendered. */
const usedIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]'), dropMark.peek()?.element]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** Returns the rows between two edges. @param top of the list, in the coordinates of the edges */
const shownOf = (ids: readonly string[], top: number, edges: DOMRectReadOnly, usedIds: readonly string[]): Shown => ({
  ids,
  from: rowsAbove(ids, edges.top - top),
  to: Math.min(ids.length, rowsAbove(ids, edges.bottom - top) + 1),
  usedIds,
});

/** Carries the range over to a changed list. It shifts by the median movement of its rows, which keeps them in place on the page. */
function carried(last: Shown, ids: readonly string[]): Shown {
  if (last.ids === ids) return last;
  const places = new Map(ids.map((id, index) => [id, index]));
  const shifts = last.ids.slice(last.from, last.to).flatMap((id, index) => {
    const place = places.get(id);
    return place === undefined ? [] : [place - last.from - index];
  });
  const shift = median(shifts);
  return { ...last, ids, from: Math.max(0, last.from + shift), to: last.to + shift };
}

const isSame = (a: Shown, b: Shown): boolean =>
  [a.from, a.to, ...a.usedIds].join() === [b.from, b.to, ...b.usedIds].join();

/** Returns the next range on the way to a target range. @param count number of rows to add */
function step(last: Shown, { ids, from, to, usedIds }: Shown, count: number): Shown {
  // A target without any rendered row starts in its middle, the visible part.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  const [lackAbove, lackBelow] = [Math.max(first - from, 0), Math.max(to - end, 0)];
  const half = Math[lackAbove > lackBelow ? 'ceil' : 'floor'](count / 2);
  const above = Math.min(lackAbove, Math.max(half, count - lackBelow));
  return { ids, from: Math.max(from, first - above), to: Math.min(to, end + count - above), usedIds };
}

/**
 * Returns the parts of a list to render: rows near the window, and rows in use with their neighbours. Gaps replace all other rows.
 * @param ids of the tasks in the list
 */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const isWhole = ids.length <= wholeRows || isPrinting.value;
  const [last, setShown] = useState<Shown>(() => ({
    ids,
    from: 0,
    // If the list grows, these rows stay.
    to: isWhole ? wholeRows : takeFirstRows(),
    usedIds: [],
  }));
  /** Keeps visible rows in place if rows above them change. */
  const keepPlace = useRef<(() => void) | undefined>(undefined);
  const shown = useMemo(() => {
    if (last.ids !== ids && list.current && !isWhole) keepPlace.current = holdPlace(list.current);
    return carried(last, ids);
  }, [last, ids]);
  /** The last position of the list in the window, and its time. */
  const lastSeen = useRef({ top: 0, at: 0 });
  /** The page, if it is scrolled to its end. It stays there even if new rows are higher than their gap. */
  const atEnd = useRef<Element | undefined>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    keepPlace.current?.();
    atEnd.current?.scrollTo({ top: atEnd.current.scrollHeight });
    keepPlace.current = atEnd.current = undefined;
    const page = element.closest('main');
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The observer reports gaps near the window without a layout during scrolling.
    const follow: IntersectionObserverCallback = (entries) => {
      const gap = entries.findLast(({ isIntersecting }) => isIntersecting);
      if (!gap?.rootBounds) return;
      const top = gap.boundingClientRect.top - heightOf(ids, 0, gaps.get(gap.target)?.from ?? 0);
      const { top: lastTop, at } = lastSeen.current;
      lastSeen.current = { top, at: gap.time };
      const isRead = Math.abs(top - lastTop) <= readablePxPerMs * (gap.time - at);
      const count = top === lastTop ? frameRows.still : frameRows.scrolled;
      clearTimeout(timer);
      if (!isRead) timer = setTimeout(observe, restMs);
      const usedIds = usedIdsIn(element);
      const all = shownOf(ids, top, gap.rootBounds, usedIds);
      // At any speed, keys need the neighbours of the focused row.
      const next = isRead ? step(shown, all, count) : { ...shown, usedIds };
      if (isSame(shown, next)) return;
      // A list at rest stays in place even if new rows above are higher than their gap.
      if (top === lastTop) keepPlace.current = holdPlace(element);
      if (page && page.scrollTop + page.clientHeight >= page.scrollHeight - 1) atEnd.current = page;
      setShown(next);
    };
    const observer = new IntersectionObserver(follow, { root: page, rootMargin: `${marginPx}px 0px` });
    const observe = () => {
      observer.disconnect();
      for (const child of element.children) if (gaps.has(child)) observer.observe(child);
    };
    observe();
    for (const child of element.children) if (!gaps.has(child)) measure(child);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [ids, shown, isWhole]);
  if (isWhole) return ids.map((_id, index) => index);
  // The focus may have moved since the last observation.
  return partsOf(ids, { ...shown, usedIds: list.current ? usedIdsIn(list.current) : [] });
}

function partsOf(ids: readonly string[], { from, to, usedIds }: Shown): readonly Part[] {
  const used = usedIds.map((id) => ids.indexOf(id)).filter((index) => index >= 0);
  const ranges = [[from, to] as const, ...used.map((index) => [index - usedRows, index + usedRows + 1] as const)];
  const parts: Part[] = [];
  let end = 0;
  const goOnAt = (start: number) => {
    const index = Math.min(start, ids.length);
    const name = parts.length === 0 ? 'first' : `before ${index}`;
    if (index > end) parts.push({ name, from: end, ids: ids.slice(end, index), height: heightOf(ids, end, index) });
    end = Math.max(end, index);
  };
  for (const [start, stop] of ranges.toSorted(([a], [b]) => a - b)) {
    goOnAt(start);
    for (; end < Math.min(stop, ids.length); end += 1) parts.push(end);
  }
  goOnAt(ids.length);
  return parts;
}
