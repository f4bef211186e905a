import { isTransient, TaskgateError } from './errors.ts';

/** Milliseconds: the first pause is up to the one, each further one up to twice as long, none longer than the other. */
const [firstPauseMs, longestPauseMs] = [200, 10_000];

/** Seconds of `Retry-After` up to which a request waits by itself; beyond that its caller decides. */
const longestRetryAfter = 30;

/**
 * How long to wait before the next try: a random part of a bound that doubles, so that many clients do not come back at once.
 * @param failures tries that have failed so far, 1 or more
 * @param retryAfter seconds that the service requires: it is never less
 * @returns milliseconds
 */
export function backoff(failures: number, retryAfter = 0): number {
  const bound = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
  return retryAfter * 1000 + Math.random() * bound;
}

/** Waits. @throws the reason of the signal, where that aborts meanwhile */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/**
 * Tries until it succeeds, or fails in a way that another try does not mend.
 * @param maxAttempts tries in all
 * @throws what the last try threw; the reason of the signal
 */
export async function retry<Result>(
  attempt: () => Promise<Result>,
  maxAttempts: number,
  signal?: AbortSignal,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      const isWorthIt =
        error instanceof TaskgateError && isTransient(error) && (error.retryAfter ?? 0) <= longestRetryAfter;
      if (!isWorthIt || failures >= maxAttempts) throw error;
      await pause(backoff(failures, error.retryAfter), signal);
    }
  }
}

/** A condition variable: `notify` wakes all that wait. */
export class Condition {
  #next = new AbortController();

  /** Ends the waiting of all that wait now. */
  notify(): void {
    this.#next.abort();
    this.#next = new AbortController();
  }

  /** Waits until it is notified, the signal aborts, or the milliseconds have passed. It never rejects. */
  wait(signal: AbortSignal, milliseconds?: number): Promise<void> {
    const either = AbortSignal.any([signal, this.#next.signal]);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        either.removeEventListener('abort', end);
        resolve();
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(end, milliseconds);
      either.addEventListener('abort', end);
      if (either.aborted) end();
    });
  }
}
