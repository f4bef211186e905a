import { expect, test } from '@jest/globals';
import { fuzz } from './fuzz.ts';

test('made-up requests find no fault and break nothing', async () => {
  const { faults, statuses } = await fuzz(
    { requests: 1500, seed: Date.now() % 1_000_000, checkpoints: 3 },
    () => undefined,
  );
  expect(faults).toEqual([]);
  // Most are well formed, and reach what they are for.
  expect(statuses[200]).toBeGreaterThan(500);
});
