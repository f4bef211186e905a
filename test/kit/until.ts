// eslint-disable-next-line no-restricted-imports -- the awaited work needs the processor
import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceAccess } from './service.ts';

let timeoutMs = 90_000;

/** Each wait of the test file must be shorter than a test, because the error of Jest's timeout has no description. */
export const limitWaits = (milliseconds: number): void => void (timeoutMs = milliseconds);

/** Milliseconds. The awaited work needs the processor too. */
const firstPause = 1;

/** @throws with the description if it is late */
export async function withTimeout<Result>(description: string, promise: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    // The timer must not keep the process alive.
    timer = setTimeout(() => reject(timeoutError(description)), timeoutMs).unref();
  });
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/**
 * Checks with growing pauses.
 * @param longestPause milliseconds; must be short for a condition that soon passes
 * @throws with the description if it is late
 */
export async function until(
  description: string,
  condition: () => boolean | Promise<boolean>,
  longestPause = 50,
): Promise<void> {
  // No test fakes this clock.
  const end = process.hrtime.bigint() + BigInt(timeoutMs) * 1_000_000n;
  for (let wait = firstPause; !(await condition()); wait = Math.min(2 * wait, longestPause)) {
    if (process.hrtime.bigint() > end) throw timeoutError(description);
    await pause(wait);
  }
}

export const untilReady = ({ anonymous }: Pick<ServiceAccess, 'anonymous'>): Promise<void> =>
  until('/readyz is 200', async () => (await anonymous.get('/readyz')).status === 200);

const timeoutError = (description: string) => new Error(`waited ${timeoutMs / 1000} seconds for: ${description}`);
