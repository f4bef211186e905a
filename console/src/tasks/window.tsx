import type { RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { dropMark } from './drop-mark.tsx';

/** A list that is no longer than this is rendered as a whole. */
const wholeRows = 60;
/** How far beyond the window rows are rendered, in pixels: enough for a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that are added in one frame at most, which keeps it short. */
const frameRows = 2;
/** Pixels a millisecond. A list that scrolls faster is not read: its rows are rendered when it slows down. */
const readablePxPerMs = 3;
/** Milliseconds until its speed is checked again. */
const restMs = 50;
/** Rows that are kept before and behind one that has the focus, for keys that are pressed faster than rows are rendered. */
const usedRows = 8;
/** Rows of a first render: of the first long list of a page, which is the one that is seen. The others follow frame by frame. */
const firstRows = 8;

/** The rows that are near what is shown, and those in use elsewhere. */
interface Shown {
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

/** Rows that are not rendered: their ids, and their height in pixels. The name is that of its place, so that its element stays. */
interface GapProps {
  readonly name: string;
  readonly ids: readonly string[];
  readonly height: number;
}

/** A part of a list: the index of a row that is rendered, or a gap. */
type Part = number | GapProps;

/** What the gaps of the page stand for. */
const gaps = new WeakMap<Element, readonly string[]>();

/** The ids of the tasks that a child of a list stands for. */
export const idsOf = (child: Element): readonly string[] => gaps.get(child) ?? [child.getAttribute('data-task') ?? ''];

/** The ids of all tasks of the page, in their order, whether they are rendered or not. */
export const idsOfPage = (): readonly string[] =>
  [...document.querySelectorAll('main :is([data-task], .gap)')].flatMap(idsOf);

/** Keeps the place of rows that are not rendered. */
export const Gap = ({ ids, height }: GapProps) => (
  <li
    class="gap"
    aria-hidden="true"
    style={{ height: `${height}px` }}
    ref={(element: Element | null) => void (element && gaps.set(element, ids))}
  />
);

/** Heights of rows by the ids of their tasks, in pixels, as they were last. */
const heights = new Map<string, number>();

/** The height of a row; of one that was not rendered yet, that of the first row measured. */
function heightOf(): (id: string) => number {
  const [usual = 45] = heights.values();
  return (id) => heights.get(id) ?? usual;
}

const totalOf = (ids: readonly string[]): number => {
  const height = heightOf();
  return ids.reduce((sum, id) => sum + height(id), 0);
};

/** Keeps the heights of rows up to date without forcing a layout. */
const sizes = new ResizeObserver((entries) => {
  for (const { target, borderBoxSize } of entries) {
    const [id] = idsOf(target);
    // A removed row reports a height of 0.
    if (id !== undefined && borderBoxSize[0] && target.isConnected) heights.set(id, borderBoxSize[0].blockSize);
  }
});

/** The children that are observed: observing a row again reports it again. */
const measured = new WeakSet<Element>();

/** The ids of rows that have to stay: of what has the focus, of what is lifted, and of where it would go. */
const usedIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]'), dropMark.peek()?.element]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** The rows between two edges, and those in use. @param top of the list, as the edges in pixels of the page's window */
function shownOf(ids: readonly string[], top: number, edges: DOMRectReadOnly, usedIds: readonly string[]): Shown {
  const height = heightOf();
  let [from, to, start] = [ids.length, 0, top];
  ids.forEach((id, index) => {
    const end = start + height(id);
    if (end > edges.top && start < edges.bottom) [from, to] = [Math.min(from, index), index + 1];
    start = end;
  });
  return { from, to, usedIds };
}

/** What is rendered next on the way from the rows that are to those that are to be. */
function step(last: Shown, { from, to, usedIds }: Shown): Shown {
  // Far from all that is rendered, it begins anew in the middle, which is seen first.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  // What one side does not need, the other one gets.
  const above = Math.min(Math.max(first - from, 0), Math.max(frameRows / 2, frameRows - Math.max(to - end, 0)));
  return { from: Math.max(from, first - above), to: Math.min(to, end + frameRows - above), usedIds };
}

/**
 * The parts of a list that has to be scrolled: rows near what is shown are rendered, and what has the focus or is lifted, with its
 * neighbours. All else is gaps.
 * @param ids of the tasks of the list
 */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const isWhole = ids.length <= wholeRows;
  const [shown, setShown] = useState<Shown>(() => ({
    from: 0,
    // Should it grow longer than that, it keeps the rows that it has.
    to: isWhole ? Math.max(ids.length, firstRows) : takeFirstRows(),
    usedIds: [],
  }));
  /** Where the list was in the page's window, and when. */
  const lastSeen = useRef({ top: 0, at: 0 });
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    // The browser says by itself when a gap comes near: nothing has to be laid out for it while one scrolls.
    const follow: IntersectionObserverCallback = (entries) => {
      const gap = entries.findLast(({ isIntersecting }) => isIntersecting);
      if (!gap?.rootBounds) return;
      const before = ids.slice(0, ids.indexOf(idsOf(gap.target)[0] ?? ''));
      const top = gap.boundingClientRect.top - totalOf(before);
      const { top: lastTop, at } = lastSeen.current;
      lastSeen.current = { top, at: gap.time };
      const isRead = Math.abs(top - lastTop) <= readablePxPerMs * (gap.time - at);
      clearTimeout(timer);
      if (!isRead) timer = setTimeout(observe, restMs);
      const usedIds = usedIdsIn(element);
      const all = shownOf(ids, top, gap.rootBounds, usedIds);
      setShown((last) => {
        // However fast: keys go on from what has the focus, to its neighbours.
        const next = isRead ? step(last, all) : { ...last, usedIds };
        return JSON.stringify(last) === JSON.stringify(next) ? last : next;
      });
    };
    const observer = new IntersectionObserver(follow, {
      root: element.closest('main'),
      rootMargin: `${marginPx}px 0px`,
    });
    const observe = () => {
      observer.disconnect();
      for (const child of element.children) if (gaps.has(child)) observer.observe(child);
    };
    observe();
    for (const child of element.children) {
      if (gaps.has(child) || measured.has(child)) continue;
      sizes.observe(child);
      measured.add(child);
    }
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
  const isRendered = (index: number) =>
    (index >= from && index < to) || used.some((each) => Math.abs(each - index) <= usedRows);
  const parts: Part[] = [];
  let gapFrom = 0;
  const endGap = (end: number) => {
    const gap = ids.slice(gapFrom, end);
    const name = parts.length === 0 ? 'first' : `before ${end}`;
    if (gap.length > 0) parts.push({ name, ids: gap, height: totalOf(gap) });
    gapFrom = end + 1;
  };
  ids.forEach((_id, index) => {
    if (!isRendered(index)) return;
    endGap(index);
    parts.push(index);
  });
  endGap(ids.length);
  return parts;
}
