import { expect, test } from '@jest/globals';
import { soak } from './soak.ts';

test('nobody misses anything while connections break, a gateway is killed and the database restarts', async () => {
  const figures = await soak({ writes: 80, followers: 3, kills: 1, restarts: 1, checkpoints: 2 }, () => undefined);
  expect(figures).toMatchObject({ writes: 80, kills: 1, restarts: 1, missed: 0, duplicates: 0, unequal: 0 });
  expect(figures.reconnects).toBeGreaterThan(5);
});
