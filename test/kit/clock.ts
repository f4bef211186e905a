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
 * Does the work while the clock of the process, and that alone, is wrong by the milliseconds: PostgreSQL's is right.
 */
export async function withClockOff<Result>(milliseconds: number, work: () => Promise<Result>): Promise<Result> {
  jest.useFakeTimers({ doNotFake: [...real], now: Date.now() + milliseconds });
  try {
    return await work();
  } finally {
    jest.useRealTimers();
  }
}

/** Milliseconds that have passed for this process besides those that have. */
let passed = 0;

/**
 * Advances the monotonic clock of the process, by which it remembers who was refused: as rows that are moved back have
 * time pass for the database.
 */
export function letTimePass(milliseconds: number): void {
  const clock: { now: unknown } = performance;
  // Jest's timers bring the real one back.
  if (!jest.isMockFunction(clock.now)) {
    passed = 0;
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
  }
  passed += milliseconds;
}
