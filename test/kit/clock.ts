import { jest } from '@jest/globals';

/** All that fake timers could replace, but `Date`. */
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

/**
 * Does the work while the clock of the process, and that alone, is wrong by so many milliseconds: PostgreSQL's is right.
 */
export async function withClockOff<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  jest.useFakeTimers({ doNotFake: [...real], now: Date.now() + milliseconds });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}
