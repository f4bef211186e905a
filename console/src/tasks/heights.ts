/** Heights of rows by the ids of their tasks, in pixels, as they were last. */
const heights = new Map<string, number>();

/** Where the rows of lists begin, in pixels from the top of their list, and where it ends; until a height is another one. */
let offsets = new WeakMap<readonly string[], Float64Array>();

/** The height of a row that was not rendered yet: the mean of the rows that were measured first. */
let usualHeight = 42;

function offsetsOf(ids: readonly string[]): Float64Array {
  const known = offsets.get(ids);
  if (known) return known;
  const made = new Float64Array(ids.length + 1);
  let end = 0;
  ids.forEach((id, index) => (made[index + 1] = end += heights.get(id) ?? usualHeight));
  offsets.set(ids, made);
  return made;
}

/** The height of some rows of a list. @param ids of the list @param from, to indexes: the first one, and the first one after them */
export function heightOf(ids: readonly string[], from: number, to: number): number {
  const all = offsetsOf(ids);
  return (all[to] ?? 0) - (all[from] ?? 0);
}

/** How many rows of a list end above a place. @param place in pixels from its top */
export function rowsAbove(ids: readonly string[], place: number): number {
  const all = offsetsOf(ids);
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((all[middle + 1] ?? Infinity) <= place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Keeps the heights of rows up to date without forcing a layout. */
const sizes = new ResizeObserver((entries) => {
  const known = heights.size;
  for (const { target, borderBoxSize } of entries) {
    const id = target.getAttribute('data-task');
    // A removed row reports a height of 0.
    if (id === null || !borderBoxSize[0] || !target.isConnected) continue;
    const { blockSize } = borderBoxSize[0];
    if (blockSize !== (heights.get(id) ?? usualHeight)) offsets = new WeakMap();
    heights.set(id, blockSize);
  }
  if (known > 0 || heights.size === known) return;
  usualHeight = [...heights.values()].reduce((sum, height) => sum + height, 0) / heights.size;
  offsets = new WeakMap();
});

/** The rows that are observed: observing one again reports it again. */
const measured = new WeakSet<Element>();

/** Keeps the height of a row. */
export function measure(row: Element): void {
  if (measured.has(row)) return;
  measured.add(row);
  sizes.observe(row);
}
