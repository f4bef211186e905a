export const maxBackoffMs = 1000;

/** Returns an exponential backoff, in milliseconds by attempt from 0. */
export const doubling =
  (firstMs: number, maxMs: number) =>
  (attempt: number): number =>
    Math.min(firstMs * 2 ** attempt, maxMs);

export const backoffMs = doubling(50, maxBackoffMs);
