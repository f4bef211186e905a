import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isPrinting } from '../app/printing.ts';
import { dropMark } from './drop-mark.tsx';
import { heightOf, measure } from './heights.ts';
import { anchorScroll, scrollerOf } from './anchor-scroll.ts';
import { growRange, isSameRange, rangeInView, type RowRange, shiftRange } from './row-range.ts';

/** Longer lists have gaps. */
const maxWholeRows = 60;
/** Rendered distance beyond the window. It covers a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that one frame adds. Few rows keep the frame short. */
const frameRows = { scrolled: 1, still: 2 };
/** About 30 rows per second. Faster lists are rendered when they slow down, because nobody reads them. */
const readablePxPerMs = 1.5;
const restMs = 50;
/** Rendered rows on each side of the focused row, for keys that are faster than rendering. */
const neighbourRows = 8;
/** Rows of the first frame. Only the first long list of a page gets them. */
const firstRows = 8;

let firstRowsLeft = firstRows;
function takeFirstRows(): number {
  const count = firstRowsLeft;
  firstRowsLeft = 0;
  requestAnimationFrame(() => (firstRowsLeft = firstRows));
  return count;
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
const activeIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]'), dropMark.peek()?.element]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** Returns the parts to render: the rows near the window, rows in use with their neighbours, and gaps. */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const isWhole = ids.length <= maxWholeRows || isPrinting.value;
  const [last, setRange] = useState<RowRange>(() => ({
    ids,
    from: 0,
    // If the list grows, these rows stay.
    to: isWhole ? maxWholeRows : takeFirstRows(),
    activeIds: [],
  }));
  const restoreScroll = useRef<(() => void) | undefined>(undefined);
  const range = useMemo(() => {
    if (last.ids !== ids && list.current && !isWhole) restoreScroll.current = anchorScroll(list.current);
    return shiftRange(last, ids);
  }, [last, ids]);
  const lastPosition = useRef({ top: 0, at: 0 });
  /** The page, if it is at its end. New rows may be higher than their gap. */
  const pageAtEnd = useRef<Element | undefined>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    restoreScroll.current?.();
    pageAtEnd.current?.scrollTo({ top: pageAtEnd.current.scrollHeight });
    restoreScroll.current = pageAtEnd.current = undefined;
    const page = scrollerOf(element);
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The observer needs no layout during scrolling.
    const follow: IntersectionObserverCallback = (entries) => {
      const gap = entries.findLast(({ isIntersecting }) => isIntersecting);
      if (!gap?.rootBounds) return;
      const top = gap.boundingClientRect.top - heightOf(ids, 0, gaps.get(gap.target)?.from ?? 0);
      const { top: lastTop, at } = lastPosition.current;
      lastPosition.current = { top, at: gap.time };
      const isReadable = Math.abs(top - lastTop) <= readablePxPerMs * (gap.time - at);
      const count = top === lastTop ? frameRows.still : frameRows.scrolled;
      clearTimeout(timer);
      if (!isReadable) timer = setTimeout(observe, restMs);
      const activeIds = activeIdsIn(element);
      const all = rangeInView(ids, top, gap.rootBounds, activeIds);
      // At any speed, keys need the neighbours of the focused row.
      const next = isReadable ? growRange(range, all, count) : { ...range, activeIds };
      if (isSameRange(range, next)) return;
      // New rows above may be higher than their gap.
      if (top === lastTop) restoreScroll.current = anchorScroll(element);
      if (page && page.scrollTop + page.clientHeight >= page.scrollHeight - 1) pageAtEnd.current = page;
      setRange(next);
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
  }, [ids, range, isWhole]);
  if (isWhole) return ids.map((_id, index) => index);
  // The focus may have moved.
  return partsOf(ids, { ...range, activeIds: list.current ? activeIdsIn(list.current) : [] });
}

function partsOf(ids: readonly string[], { from, to, activeIds }: RowRange): readonly Part[] {
  const activeIndexes = activeIds.map((id) => ids.indexOf(id)).filter((index) => index >= 0);
  const ranges = [
    [from, to] as const,
    ...activeIndexes.map((index) => [index - neighbourRows, index + neighbourRows + 1] as const),
  ];
  const parts: Part[] = [];
  let end = 0;
  const addGapBefore = (start: number) => {
    const index = Math.min(start, ids.length);
    const name = parts.length === 0 ? 'first' : `before ${index}`;
    if (index > end) parts.push({ name, from: end, ids: ids.slice(end, index), height: heightOf(ids, end, index) });
    end = Math.max(end, index);
  };
  for (const [start, stop] of ranges.toSorted(([a], [b]) => a - b)) {
    addGapBefore(start);
    for (; end < Math.min(stop, ids.length); end += 1) parts.push(end);
  }
  addGapBefore(ids.length);
  return parts;
}
