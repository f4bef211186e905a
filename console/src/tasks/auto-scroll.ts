/** Pixels from an edge within which it scrolls, and how many pixels in a millisecond right at the edge. */
const [zonePx, fastest] = [56, 0.9];

/** How fast to scroll at a place between two edges: more, the nearer it is to one of them; negative: back. */
function speed(at: number, start: number, end: number): number {
  const near = (distance: number) => Math.min(Math.max(1 - distance / zonePx, 0), 1) * fastest;
  return near(end - at) - near(at - start);
}

/** Scrolls what is below a point, where that is near an edge of it. @returns whether anything has moved */
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
