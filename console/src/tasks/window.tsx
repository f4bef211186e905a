import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** A list that is no longer than this is rendered as a whole. */
const wholeRows = 60;
/** How far beyond the window rows are rendered, in pixels: enough for a key press or a turn of the wheel. */
const marginPx = 400;
/** Rows that are added in one frame at most, which keeps it short. */
const frameRows = 4;
/** Rows that are kept before and behind one that has the focus, for keys that are pressed faster than rows are rendered. */
const usedRows = 8;
/** Rows of the first render; the others follow frame by frame. */
const firstRows = 12;

/** The rows that are near what is shown, and those in use elsewhere: with the focus, or lifted. */
interface Shown {
  readonly from: number;
  readonly to: number;
  readonly usedIds: readonly string[];
}

const firstShown: Shown = { from: 0, to: firstRows, usedIds: [] };

/** Rows that are not rendered: their ids, and their height in pixels. */
interface GapProps {
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

/** The ids of rows that have to stay: of what has the focus, and of what is lifted. */
const usedIdsIn = (list: Element): readonly string[] =>
  [document.activeElement, document.querySelector('main [data-lifted]')]
    .map((element) => element?.closest('.tasks > *'))
    .flatMap((row) => (row?.parentElement === list ? idsOf(row) : []));

/** The rows between two edges, and those in use. @param top of the list, as the edges in pixels of the page's window */
function shownOf(ids: readonly string[], top: number, edges: DOMRectReadOnly, usedIds: readonly string[]): Shown {
  const height = heightOf();
  let [from, to, start] = [ids.length, 0, top];
  for (const [index, id] of ids.entries()) {
    const end = start + height(id);
    if (end > edges.top && start < edges.bottom) [from, to] = [Math.min(from, index), index + 1];
    start = end;
  }
  return { from, to, usedIds };
}

/** What is rendered next on the way from the rows that are to those that are to be. */
function step(last: Shown, { from, to, usedIds }: Shown): Shown {
  // Far from all that is rendered, it begins anew in the middle, which is seen first.
  const middle = Math.floor((from + to) / 2);
  const [first, end] = last.from < to && from < last.to ? [last.from, last.to] : [middle, middle];
  return { from: Math.max(from, first - frameRows), to: Math.min(to, end + frameRows), usedIds };
}

/**
 * The parts of a list that has to be scrolled: rows near what is shown are rendered, and what has the focus or is lifted, with its
 * neighbours. All else is gaps.
 * @param ids of the tasks of the list
 */
export function useWindow(list: RefObject<HTMLElement | null>, ids: readonly string[]): readonly Part[] {
  const [shown, setShown] = useState<Shown>(firstShown);
  const isWhole = ids.length <= wholeRows;
  useLayoutEffect(() => {
    const element = list.current;
    if (isWhole || !element) return;
    // The browser says by itself when a gap comes near: nothing has to be laid out for it while one scrolls.
    const follow: IntersectionObserverCallback = (entries) => {
      const gap = entries.findLast(({ isIntersecting }) => isIntersecting);
      if (!gap?.rootBounds) return;
      const before = ids.slice(0, ids.indexOf(idsOf(gap.target)[0] ?? ''));
      const top = gap.boundingClientRect.top - before.map(heightOf()).reduce((sum, height) => sum + height, 0);
      const all = shownOf(ids, top, gap.rootBounds, usedIdsIn(element));
      setShown((last) => {
        const next = step(last, all);
        return JSON.stringify(last) === JSON.stringify(next) ? last : next;
      });
    };
    const observer = new IntersectionObserver(follow, {
      root: element.closest('main'),
      rootMargin: `${marginPx}px 0px`,
    });
    for (const child of element.children) {
      if (gaps.has(child)) observer.observe(child);
      else if (!measured.has(child)) sizes.observe(child);
      measured.add(child);
    }
    return () => observer.disconnect();
  }, [ids, shown, isWhole]);
  return isWhole ? ids.map((_id, index) => index) : partsOf(ids, shown);
}

function partsOf(ids: readonly string[], { from, to, usedIds }: Shown): readonly Part[] {
  const used = usedIds.map((id) => ids.indexOf(id)).filter((index) => index >= 0);
  const isUsed = (index: number) => used.some((each) => Math.abs(each - index) <= usedRows);
  const height = heightOf();
  const parts: Part[] = [];
  let gap: { ids: string[]; height: number } | undefined;
  for (const [index, id] of ids.entries()) {
    if ((index >= from && index < to) || isUsed(index)) {
      parts.push(index);
      gap = undefined;
    } else {
      if (!gap) parts.push((gap = { ids: [], height: 0 }));
      gap.ids.push(id);
      gap.height += height(id);
    }
  }
  return parts;
}
