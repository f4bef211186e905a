import { expect, test } from '@jest/globals';
import { seedOfRun } from '../kit/random.ts';
import { soak } from './soak.ts';

test('nobody misses anything while connections break, a gateway is killed and the database restarts', async () => {
  const seed = seedOfRun();
  const figures = await soak(
    { seed, writes: 80, followers: 3, kills: 1, restarts: 1, checkpoints: 2 },
    () => undefined,
  );
  expect({ seed, ...figures }).toMatchObject({
    seed,
    writes: 80,
    kills: 1,
    restarts: 1,
    missed: 0,
    duplicates: 0,
    unequal: 0,
  });
  expect(figures.reconnects).toBeGreaterThan(5);
});
