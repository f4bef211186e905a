export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

const topOf = (element: Element): number => element.getBoundingClientRect().top;

/**
 * Where the rows of a list are in the page's window. Browsers' own scroll anchoring does not follow gaps that change their height.
 * @returns what scrolls the page by as much as most of them have moved since
 */
export function holdPlace(list: Element): () => void {
  const page = list.closest('main');
  const before = [...list.querySelectorAll(':scope > [data-task]')].map((row) => [row, topOf(row)] as const);
  return () => {
    const moves = before.filter(([row]) => row.isConnected).map(([row, top]) => topOf(row) - top);
    // At its top, what is new is seen.
    if (page && page.scrollTop > 0) page.scrollTop += median(moves);
  };
}
