/** The width of the scrolling edge, and the speed at its end in pixels per millisecond. */
const [zonePx, maxSpeed] = [56, 0.9];

/** Negative near the start. */
function speed(position: number, start: number, end: number): number {
  const edgeSpeed = (distance: number) => Math.min(Math.max(1 - distance / zonePx, 0), 1) * maxSpeed;
  return edgeSpeed(end - position) - edgeSpeed(position - start);
}

/** @returns whether anything moved */
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
