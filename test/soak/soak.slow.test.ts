import { expect, test } from '@jest/globals';
import { seedOfRun } from '../kit/random.ts';
import { soak } from './soak.ts';

test('nothing is lost, duplicated or unequal while connections break, a gateway is killed and the database restarts', async () => {
  const seed = seedOfRun();
  const { problems, acknowledged, reconnects } = await soak(
    { seed, writes: 120, followers: 4, kills: 1, restarts: 1, firstLoads: 1, checkpoints: 2 },
    () => undefined,
  );
  expect({ seed, problems }).toEqual({ seed, problems: [] });
  expect(acknowledged).toBeGreaterThanOrEqual(120);
  expect(reconnects).toBeGreaterThan(5);
});
