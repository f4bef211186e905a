import { afterAll, beforeAll, test } from '@jest/globals';
import fc from 'fast-check';
import { type Service, startService } from '../kit/service.ts';
import { requireConsistent, undoEverything } from './undo-everything.ts';
import { step, World } from './undo-world.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' });
});
afterAll(() => service.close());

test('after random undos in any order and by any caller, accounts can sign in and the data is consistent', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 15 }),
      fc.array(fc.nat(9999), { minLength: 20, maxLength: 20 }),
      async (steps, numbers) => {
        const world = await World.make(service);
        for (const each of steps) await world.runStep(each);
        await undoEverything(world, numbers);
        await requireConsistent(world);
      },
    ),
    { numRuns: 4, includeErrorInReport: true, endOnFailure: true },
  );
}, 300_000);
