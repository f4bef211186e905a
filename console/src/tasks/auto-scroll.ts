/** Distance from an edge that scrolls, in pixels, and the speed at the edge, in pixels per millisecond. */
const [zonePx, fastest] = [56, 0.9];

/** Returns the speed at a position between two edges. It grows towards the edges and is negative near the start. */
function speed(at: number, start: number, end: number): number {
  const near = (distance: number) => Math.min(Math.max(1 - distance / zonePx, 0), 1) * fastest;
  return near(end - at) - near(at - start);
}

/** Scrolls the elements under a point that is near their edges. @returns whether anything moved */
export function scrollAtEdges({ x, y }: { x: number; y: number }, milliseconds: number): boolean {
  let hasMoved = false;
  for (let box = document.elementFromPoint(x, y); box; box = box.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(box);
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const { scrollLeft, scrollTop } = box;
    if (overflowX === 'auto') box.scrollLeft += speed(x, left, right) * milliseconds;
    if (overflowY === 'auto') box.scrollTop += speed(y, top, bottom) * milliseconds;
    hasMoved ||= box.scrollLeft !== scrollLeft || box.scrollTop !== scrollTop;
  }
  return hasMoved;
}
