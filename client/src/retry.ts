import { isTransient, TaskgateError } from './errors.ts';

/** Bounds of the first and of any pause, in milliseconds. */
const [firstPauseMs, longestPauseMs] = [200, 10_000];

/** Maximum `Retry-After` in seconds; beyond it, the caller decides. */
const longestRetryAfter = 30;

/**
 * Returns a random pause in milliseconds, below a bound that doubles.
 * @param failures failed attempts, 1 or more
 * @param retryAfter minimum in seconds
 */
export function backoff(failures: number, retryAfter = 0): number {
  const bound = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
  return retryAfter * 1000 + Math.random() * bound;
}

/** @throws the reason of the signal */
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

/** @throws the last error; the reason of the signal */
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

/** A condition variable. */
export class Condition {
  #next = new AbortController();

  notify(): void {
    this.#next.abort();
    this.#next = new AbortController();
  }

  /** Never rejects. */
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
