/** Longest pause between two attempts, in milliseconds: what was away is to be used soon after it is back. */
export const maxBackoffMs = 1000;

/** Pauses between attempts, in milliseconds by the attempt: the first for attempt 0, twice as many each time, up to a maximum. */
export const doubling =
  (firstMs: number, maxMs: number) =>
  (attempt: number): number =>
    Math.min(firstMs * 2 ** attempt, maxMs);

/** Milliseconds to wait before what is away is tried again, for however long it may be. */
export const backoffMs = doubling(50, maxBackoffMs);
