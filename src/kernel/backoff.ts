/** Milliseconds between two tries at the most: what was away is to be used soon after it is back. */
export const maxBackoffMs = 1000;

const firstBackoffMs = 50;

/**
 * Milliseconds to wait before what is away is tried again, for however long it may be; twice as many each time.
 * @param attempt 0 gives the shortest wait
 */
export const backoffMs = (attempt: number): number => Math.min(firstBackoffMs * 2 ** attempt, maxBackoffMs);
