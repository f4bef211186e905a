import { expect, test } from '@jest/globals';
import { backoffMs } from '../backoff.ts';

test('pauses double from 50 ms to a second, and stay there', () => {
  const attempts = [0, 1, 2, 3, 4, 5, 6, 10_000];
  expect(attempts.map(backoffMs)).toEqual([50, 100, 200, 400, 800, 1000, 1000, 1000]);
});
