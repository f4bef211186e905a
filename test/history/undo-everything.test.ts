import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Service, startService } from '../kit/service.ts';
import { type UndoableMutation, variablesByMutation } from './acts.ts';
import { runRounds } from './random-undo.ts';
import { requireConsistent, spaceKinds, undoEachMutation, undoEverything } from './undo-everything.ts';
import { step, World } from './undo-world.ts';

let service: Service;
beforeAll(async () => {
  // The test undoes thirty operations a second.
  service = await startService({ RATE_LIMITS: 'off' });
});
afterAll(() => service.close());

/** Choices of entities: some mutations find none in the first round. */
const rounds = [
  { a: 1, b: 2, c: 1 },
  { a: 0, b: 1, c: 2 },
];

describe.each(spaceKinds)('in a %s space', (kind) => {
  test('every kind of operation is undone without a conflict if nothing else was changed', async () => {
    const world = await World.make(service);
    const performed = new Set<UndoableMutation>();
    for (const numbers of rounds) await undoEachMutation(world, kind, numbers, performed);
    const all = (Object.keys(variablesByMutation) as UndoableMutation[]).filter(
      (act) => kind === 'workspace' || act !== 'updateWorkspace',
    );
    expect([...performed].sort()).toEqual(all.sort());
    await requireConsistent(world);
  }, 300_000);
});

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
    { numRuns: 2, includeErrorInReport: true, endOnFailure: true },
  );
}, 300_000);

test('an undo restores the earlier state, or names each difference', async () => {
  await runRounds(() => service, { runs: 3, steps: 12 });
}, 300_000);
