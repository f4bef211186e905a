/** Last heights of rows in pixels, by task id. */
const heights = new Map<string, number>();

/** The top of each row and the end of the list. Cleared if a height changes. */
let offsets = new WeakMap<readonly string[], Float64Array>();

/** Height of a row that was never rendered: the mean of the first measured rows. */
let defaultHeight = 42;

function offsetsOf(ids: readonly string[]): Float64Array {
  const known = offsets.get(ids);
  if (known) return known;
  const computed = new Float64Array(ids.length + 1);
  let end = 0;
  ids.forEach((id, index) => (computed[index + 1] = end += heights.get(id) ?? defaultHeight));
  offsets.set(ids, computed);
  return computed;
}

/** The height of the rows from index `from` to before index `to`. */
export function heightOf(ids: readonly string[], from: number, to: number): number {
  const rowOffsets = offsetsOf(ids);
  return (rowOffsets[to] ?? 0) - (rowOffsets[from] ?? 0);
}

/** The number of rows above a distance from the top. */
export function rowsAbove(ids: readonly string[], distance: number): number {
  const rowOffsets = offsetsOf(ids);
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rowOffsets[middle + 1] ?? Infinity) <= distance) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Reports heights without a forced layout. */
const sizes = new ResizeObserver((entries) => {
  const known = heights.size;
  for (const { target, borderBoxSize } of entries) {
    const id = target.getAttribute('data-task');
    // A removed row reports a height of 0.
    if (id === null || !borderBoxSize[0] || !target.isConnected) continue;
    const { blockSize } = borderBoxSize[0];
    if (blockSize !== (heights.get(id) ?? defaultHeight)) offsets = new WeakMap();
    heights.set(id, blockSize);
  }
  if (known > 0 || heights.size === known) return;
  defaultHeight = [...heights.values()].reduce((sum, height) => sum + height, 0) / heights.size;
  offsets = new WeakMap();
});

/** Observing a row twice would report it twice. */
const measured = new WeakSet<Element>();

export function measure(row: Element): void {
  if (measured.has(row)) return;
  measured.add(row);
  sizes.observe(row);
}
