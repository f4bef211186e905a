import { expect, test } from '@jest/globals';
import { seedOfRun } from '../kit/random.ts';
import { soak } from './soak.ts';

test('nothing is lost, duplicated or unequal while connections break, a gateway is killed and the database restarts', async () => {
  const seed = seedOfRun();
  const figures = await soak(
    { seed, writes: 120, followers: 4, kills: 1, restarts: 1, firstLoads: 1, checkpoints: 2 },
    () => undefined,
  );
  expect({ seed, ...figures }).toMatchObject({
    seed,
    writes: 120,
    kills: 1,
    restarts: 1,
    changes: { missed: 0, duplicates: 0, unequal: 0 },
    sync: { lost: 0, twice: 0, differing: 0, unequal: 0, problems: [] },
  });
  expect(figures.reconnects).toBeGreaterThan(5);
});
