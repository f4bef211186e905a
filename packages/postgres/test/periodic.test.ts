import { afterEach, expect, jest, test } from '@jest/globals';
import { hourly } from '../periodic.ts';

const minuteMs = 60_000;

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

test.each([
  [0, 1],
  [0.999, 5],
])('hourly work with random number %d runs first after %i minutes, then once an hour', async (random, firstMinute) => {
  jest.useFakeTimers();
  jest.spyOn(Math, 'random').mockReturnValue(random);
  let runs = 0;
  const work = hourly('a test', () => Promise.resolve((runs += 1)));
  await jest.advanceTimersByTimeAsync((firstMinute - 1) * minuteMs);
  expect(runs).toBe(0);
  await jest.advanceTimersByTimeAsync(minuteMs);
  expect(runs).toBe(1);
  await jest.advanceTimersByTimeAsync(59 * minuteMs);
  expect(runs).toBe(1);
  await jest.advanceTimersByTimeAsync(minuteMs);
  expect(runs).toBe(2);
  work.stop();
});
