import { expect, test } from '@jest/globals';
import { seedOfRun } from '../kit/random.ts';
import { fuzz } from './fuzz.ts';

test('random requests find no fault and break nothing', async () => {
  const seed = seedOfRun();
  const { faults, statuses } = await fuzz({ requests: 1500, seed, checkpoints: 3 }, () => undefined);
  expect({ seed, faults }).toEqual({ seed, faults: [] });
  // Most requests are well formed and succeed.
  expect(statuses[200]).toBeGreaterThan(500);
});
