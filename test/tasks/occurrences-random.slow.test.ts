import { beforeAll, expect, test } from '@jest/globals';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { runRandomly } from './random-series.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

test('after any actions of two members, a series has one open occurrence and dates by its rule', async () => {
  const done = await runRandomly(() => service, { runs: 60, actions: 80 });
  expect([...done.keys()]).toEqual(
    expect.arrayContaining(['update', 'updateMany', 'skip', 'undo', 'several', 'restore', 'create', 'move']),
  );
}, 900_000);
