import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { policy, TestQueue, runMicrotasks, work } from './queues.ts';

describe('resources', () => {
  test('are held by a limited number of jobs at once, and waiting for one blocks no other', async () => {
    const queue = new TestQueue({ ...policy, slots: 8, slotsPerResource: 1 });
    const [first, onBoth, bensWork, other] = [work(), work(), work(), work()];
    const all = [
      queue.run('anna', first.start, { resources: ['y'] }),
      queue.run('anna', onBoth.start, { resources: ['y', 'x', 'y'] }),
      queue.run('ben', bensWork.start, { resources: ['y'] }),
      queue.run('ben', other.start, { resources: ['z'] }),
    ];
    await runMicrotasks();
    expect([first, onBoth, bensWork, other].map((each) => each.hasBegun())).toEqual([true, false, false, true]);
    expect(queue.load).toEqual({ running: 2, waiting: 2 });
    for (const each of [first, onBoth, bensWork, other]) each.end();
    await Promise.all(all);
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
  });

  test('that are never free at once are reserved for the job whose turn it is', async () => {
    const queue = new TestQueue({ ...policy, slots: 8, slotsPerResource: 1 });
    let isDone = false;
    const keepBusy = async (resource: string, key: string) => {
      while (!isDone)
        await Promise.all([1, 2].map(() => queue.run(key, () => runMicrotasks(3), { resources: [resource] })));
    };
    const busyWork = [keepBusy('x', 'a'), keepBusy('y', 'b')];
    await runMicrotasks(5);
    await queue.run('anna', () => Promise.resolve(), { resources: ['x', 'y'] });
    isDone = true;
    await Promise.all(busyWork);
  });

  test('never make two jobs wait for each other', async () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 });
    const piece = fc.record({ names, key: fc.constantFrom('anna', 'ben'), steps: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
        const queue = new TestQueue({ ...policy, slots: 6, slotsPerResource: 1 });
        const busyResources = new Set<string>();
        const use = async (each: { names: string[]; steps: number }) => {
          for (const name of each.names) {
            expect(busyResources.has(name)).toBe(false);
            busyResources.add(name);
          }
          await runMicrotasks(each.steps);
          for (const name of each.names) busyResources.delete(name);
        };
        await Promise.all(pieces.map((each) => queue.run(each.key, () => use(each), { resources: each.names })));
        expect(queue.load).toEqual({ running: 0, waiting: 0 });
      }),
    );
  });
});
