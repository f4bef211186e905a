import { jest } from '@jest/globals';

/** All timers except `Date`. */
const real = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Runs `work` with a wrong clock in this process, but not in PostgreSQL. */
export async function withWrongClock<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  jest.useFakeTimers({ doNotFake: [...real], now: Date.now() + milliseconds });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}

let elapsedMs = 0;

/** Advances the monotonic clock of the process, which bounds remembered refusals. For the database, tests move rows back instead. */
export function advanceClock(milliseconds: number): void {
  const clock: { now: unknown } = performance;
  // Jest's timers restore the real function.
  if (!jest.isMockFunction(clock.now)) {
    elapsedMs = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + elapsedMs);
  }
  elapsedMs += milliseconds;
}
