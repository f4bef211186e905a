import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { type UndoableMutation, variablesByMutation } from './acts.ts';
import { requireConsistent, spaceKinds, undoEachMutation } from './undo-everything.ts';
import { World } from './undo-world.ts';

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
