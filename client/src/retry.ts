import { isTransient, TaskgateError } from './errors.ts';

/** Bounds of the first and of any pause, in milliseconds. */
const [firstPauseMs, maxPauseMs] = [200, 10_000];

/** Maximum `Retry-After` in seconds; beyond it, the caller decides. */
const maxRetryAfterSeconds = 30;

/**
 * Returns a random pause in milliseconds, below a bound that doubles.
 * @param failures failed attempts, 1 or more
 * @param retryAfter minimum in seconds
 */
export function backoff(failures: number, retryAfter = 0): number {
  const bound = Math.min(firstPauseMs * 2 ** (failures - 1), maxPauseMs);
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
      const isRetryable =
        error instanceof TaskgateError && isTransient(error) && (error.retryAfter ?? 0) <= maxRetryAfterSeconds;
      if (!isRetryable || failures >= maxAttempts) throw error;
      await pause(backoff(failures, error.retryAfter), signal);
    }
  }
}

/** A condition variable. */
export class Condition {
  #controller = new AbortController();

  notify(): void {
    this.#controller.abort();
    this.#controller = new AbortController();
  }

  /** Never rejects. */
  wait(signal: AbortSignal, milliseconds?: number): Promise<void> {
    const combinedSignal = AbortSignal.any([signal, this.#controller.signal]);
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        combinedSignal.removeEventListener('abort', end);
        resolve();
      };
      const timer = milliseconds === undefined ? undefined : setTimeout(end, milliseconds);
      combinedSignal.addEventListener('abort', end);
      if (combinedSignal.aborted) end();
    });
  }
}
