import { jest } from '@jest/globals';

const kept = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const;

/**
 * From now on what is done at intervals (keep-alives, the slow look at what moved) is done when the test says so, and
 * never by itself. All other timers go on; intervals that run already do too.
 * @returns what advances their time by milliseconds
 */
export function holdIntervals(): (milliseconds: number) => void {
  jest.useFakeTimers({ doNotFake: [...kept] });
  return (milliseconds) => void jest.advanceTimersByTime(milliseconds);
}

/** Intervals that are begun from now on are the real ones again. */
export const releaseIntervals = () => void jest.useRealTimers();
