export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/** Returns the column or page that scrolls a list. */
export const scrollerOf = (list: Element): Element | null => list.closest('.board > section, main');

/** Keeps rows in place, because the scroll anchoring of browsers does not follow gaps that change their height. @returns a function that scrolls the page by the median movement of the rows */
export function anchorScroll(list: Element): () => void {
  const page = scrollerOf(list);
  const before = [...list.querySelectorAll(':scope > [data-task]')].map((row) => [row, topOf(row)] as const);
  return () => {
    const movements = before.filter(([row]) => row.isConnected).map(([row, top]) => topOf(row) - top);
    // At the top of the page, new rows stay visible.
    if (page && page.scrollTop > 0) page.scrollTop += median(movements);
  };
}
