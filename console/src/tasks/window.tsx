import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { isPrinting } from '../app/printing.ts';
import { dropMark } from './drop-mark.tsx';
import { heightOf, measure, rowsAbove } from './heights.ts';
import { holdPlace, median } from './hold-place.ts';

/** A list that is no longer than this is rendered as a whole. */
const wholeRows = 60;
/** How far beyond the window rows are rendered, in pixels: enough for a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that one frame adds, which keeps it short: of a list that scrolls, and of one that does not. */
const frameRows = { scrolled: 1, still: 2 };
/** Pixels a millisecond, some 30 rows a second. A list that scrolls faster is not read: its rows are rendered when it slows down. */
const readablePxPerMs = 1.5;
/** Milliseconds until its speed is checked again. */
const restMs = 50;
/** Rows that are kept before and behind one that has the focus, for keys that are pressed faster than rows are rendered. */
const usedRows = 8;
/** Rows of a first render: of the first long list of a page, which is the one that is seen. The others follow frame by frame. */
const firstRows = 8;

/** The rows of a list that are near what is shown, and those in use elsewhere. */
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

/**
 * Rows that are not rendered: the index of the first one, their ids, and their height in pixels. The name is that of its place, so that
 * its element stays.
 */
interface GapProps {
  readonly name: string;
  readonly from: number;
  readonly ids: readonly string[];
  readonly height: number;
}

/** A part of a list: the index of a row that is rendered, or a gap. */
type Part = number | GapProps;

/** What the gaps of the page stand for. */
const gaps = new WeakMap<Element, GapProps>();

/** The ids of the tasks that a child of a list stands for. */
export const idsOf = (child: Element): readonly string[] =>
  gaps.get(child)?.ids ?? [child.getAttribute('data-task') ?? ''];

/** The ids of all tasks of the page, in their order, whether they are rendered or not. */
export const idsOfPage = (): readonly string[] =>
  [...document.querySelectorAll('main :is([data-task], .gap)')].flatMap(idsOf);

/** Keeps the place of rows that are not rendered. */
export const Gap = (props: GapProps) => (
  <li
    class="gap"
    aria-hidden="true"
    style={{ height: `${props.height}px` }}
    ref={(element: Element | null) => void (element && gaps.set(element, props))}
  />
);

/** The ids of rows that have to stay: of what has the focus, of what is lifted, and of where it would go. */
const usedIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]'), dropMark.peek()?.element]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** The rows between two edges, and those in use. @param top of the list, as the edges in pixels of the page's window */
const shownOf = (ids: readonly string[], top: number, edges: DOMRectReadOnly, usedIds: readonly string[]): Shown => ({
  ids,
  from: rowsAbove(ids, edges.top - top),
  to: Math.min(ids.length, rowsAbove(ids, edges.bottom - top) + 1),
  usedIds,
});

/**
 * The same rows in another list of ids: by as many places further as most of them, so that rows that stay keep their place in the page.
 */
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

/** What is rendered next on the way from the rows that are to those that are to be. @param count rows that are added */
function step(last: Shown, { ids, from, to, usedIds }: Shown, count: number): Shown {
  // Far from all that is rendered, it starts again in the middle, which is seen first.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  const [lackAbove, lackBelow] = [Math.max(first - from, 0), Math.max(to - end, 0)];
  const half = Math[lackAbove > lackBelow ? 'ceil' : 'floor'](count / 2);
  // What one side does not need, the other one gets.
  const above = Math.min(lackAbove, Math.max(half, count - lackBelow));
  return { ids, from: Math.max(from, first - above), to: Math.min(to, end + count - above), usedIds };
}

/**
 * The parts of a list that has to be scrolled: rows near what is shown are rendered, and what has the focus or is lifted, with its
 * neighbours. All else is gaps.
 * @param ids of the tasks of the list
 */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const isWhole = ids.length <= wholeRows || isPrinting.value;
  const [last, setShown] = useState<Shown>(() => ({
    ids,
    from: 0,
    // Should it grow longer than that, it keeps the rows that it has.
    to: isWhole ? wholeRows : takeFirstRows(),
    usedIds: [],
  }));
  /** Has rows stay where they are, where others above them come or go. */
  const keepPlace = useRef<(() => void) | undefined>(undefined);
  const shown = useMemo(() => {
    if (last.ids !== ids && list.current && !isWhole) keepPlace.current = holdPlace(list.current);
    return carried(last, ids);
  }, [last, ids]);
  /** Where the list was in the page's window, and when. */
  const lastSeen = useRef({ top: 0, at: 0 });
  /** What is at the end of its page, and stays there: the rows that come may be higher than their gap. */
  const atEnd = useRef<Element | undefined>(undefined);
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    keepPlace.current?.();
    atEnd.current?.scrollTo({ top: atEnd.current.scrollHeight });
    keepPlace.current = atEnd.current = undefined;
    const page = element.closest('main');
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The browser says by itself when a gap comes near: nothing has to be laid out for it while one scrolls.
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
      // However fast: keys go on from what has the focus, to its neighbours.
      const next = isRead ? step(shown, all, count) : { ...shown, usedIds };
      if (isSame(shown, next)) return;
      // What is at rest stays where it is: rows above may be higher than their gap.
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
  // As they are now: the focus may have moved since.
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
