import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isPrinting } from '../app/printing.ts';
import { dropMark } from './drop-mark.tsx';
import { heightOf, measure, rowsAbove } from './heights.ts';
import { holdPlace, median } from './hold-place.ts';

/** Longer lists have gaps. */
const wholeRows = 60;
/** Rendered distance beyond the window. It covers a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that one frame adds. Few rows keep the frame short. */
const frameRows = { scrolled: 1, still: 2 };
/** About 30 rows per second. Faster lists are rendered when they slow down, because nobody reads them. */
const readablePxPerMs = 1.5;
const restMs = 50;
/** Rendered rows on each side of the focused row, for keys that are faster than rendering. */
const usedRows = 8;
/** Rows of the first frame. Only the first long list of a page gets them. */
const firstRows = 8;

/** Rows from index `from` to before `to`, and rows in use elsewhere. */
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

/** Rows that are not rendered. `name` keeps the element between renders. */
interface GapProps {
  readonly name: string;
  readonly from: number;
  readonly ids: readonly string[];
  readonly height: number;
}

type Part = number | GapProps;

const gaps = new WeakMap<Element, GapProps>();

export const idsOf = (child: Element): readonly string[] =>
  gaps.get(child)?.ids ?? [child.getAttribute('data-task') ?? ''];

/** Includes tasks in gaps. */
export const idsOfPage = (): readonly string[] =>
  [...document.querySelectorAll('main :is([data-task], .gap)')].flatMap(idsOf);

export const Gap = (props: GapProps) => (
  <li
    class="gap"
    aria-hidden="true"
    style={{ height: `${props.height}px` }}
    ref={(element: Element | null) => void (element && gaps.set(element, props))}
  />
);

/** The focused row, the lifted row and the target must stay rendered. */
const usedIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]'), dropMark.peek()?.element]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** @param top of the list, in the coordinates of the edges */
const shownOf = (ids: readonly string[], top: number, edges: DOMRectReadOnly, usedIds: readonly string[]): Shown => ({
  ids,
  from: rowsAbove(ids, edges.top - top),
  to: Math.min(ids.length, rowsAbove(ids, edges.bottom - top) + 1),
  usedIds,
});

/** Shifts the range of a changed list by the median movement of its rows. These rows stay in place on the page. */
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

/** Adds up to `count` rows on the way to the target range. */
function step(last: Shown, { ids, from, to, usedIds }: Shown, count: number): Shown {
  // A distant target starts in its middle, the visible part.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  const [lackAbove, lackBelow] = [Math.max(first - from, 0), Math.max(to - end, 0)];
  const half = Math[lackAbove > lackBelow ? 'ceil' : 'floor'](count / 2);
  const above = Math.min(lackAbove, Math.max(half, count - lackBelow));
  return { ids, from: Math.max(from, first - above), to: Math.min(to, end + count - above), usedIds };
}

/** Returns the parts to render: the rows near the window, rows in use with their neighbours, and gaps. */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const isWhole = ids.length <= wholeRows || isPrinting.value;
  const [last, setShown] = useState<Shown>(() => ({
    ids,
    from: 0,
    // If the list grows, these rows stay.
    to: isWhole ? wholeRows : takeFirstRows(),
    usedIds: [],
  }));
  const keepPlace = useRef<(() => void) | undefined>(undefined);
  const shown = useMemo(() => {
    if (last.ids !== ids && list.current && !isWhole) keepPlace.current = holdPlace(list.current);
    return carried(last, ids);
  }, [last, ids]);
  const lastSeen = useRef({ top: 0, at: 0 });
  /** The page, if it is at its end. New rows may be higher than their gap. */
  const atEnd = useRef<Element | undefined>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    keepPlace.current?.();
    atEnd.current?.scrollTo({ top: atEnd.current.scrollHeight });
    keepPlace.current = atEnd.current = undefined;
    const page = element.closest('main');
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The observer needs no layout during scrolling.
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
      // New rows above may be higher than their gap.
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
  // The focus may have moved.
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
