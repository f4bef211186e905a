import { jest } from '@jest/globals';

const realTimers = [
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
 * Lets the test advance intervals that start from now on, such as keep-alives and polls. Other timers go on.
 * @returns a function that advances them by milliseconds
 */
export function holdIntervals(): (milliseconds: number) => void {
  jest.useFakeTimers({ doNotFake: [...realTimers] });
  return (milliseconds) => void jest.advanceTimersByTime(milliseconds);
}

export const releaseIntervals = () => void jest.useRealTimers();
