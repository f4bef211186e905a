import { describe, expect, test } from '@jest/globals';
import { writePolicy } from '../../packages/postgres/queues.ts';
import { hashingPolicy } from '../../src/accounts/sign-in/passwords.ts';
import { policy, recorder, TestQueue, withClock, work } from '../../packages/work/test/queues.ts';

describe('FairQueue', () => {
  test.each([hashingPolicy, writePolicy])(
    'of $name serves a few jobs, however long each takes on busy processors',
    (of) =>
      withClock(async (advance) => {
        const { started, add } = recorder(new TestQueue(of));
        const ms = 1_000 * of.slotsPerKey;
        for (let count = 0; count < 20; count += 1) void add('anna', ms);
        await advance(12_000);
        void add('anna', ms);
        await advance(12_000);
        expect(started).toHaveLength(21);
      })(),
  );

  test(
    'serves a few jobs of all keys, even if all slots are held for longer than a burst may last',
    withClock(async (advance) => {
      const { started, add } = recorder(new TestQueue(writePolicy));
      for (let account = 0; account < 30; account += 1) void add(`account ${account}`, 4_000);
      await advance(12_000);
      expect(started).toHaveLength(30);
    }),
  );

  test(
    'refuses a few jobs too, but later',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 1, toleratedWaiting: 3, toleratedWaitMs: 30_000 });
      void queue.run('anna', work().start);
      void queue.run('anna', work().start);
      await advance(29_900);
      expect(queue.load.waiting).toBe(1);
      await advance(200);
      expect(queue.load.waiting).toBe(0);
    }),
  );

  test(
    'refuses the oldest of many late jobs, until a few are left',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 1, patienceMs: 1_000, toleratedWaiting: 3 });
      const refusedIndexes: number[] = [];
      void queue.run('anna', work().start);
      for (let count = 0; count < 10; count += 1) {
        queue.run('anna', work().start).catch(() => refusedIndexes.push(count));
        await advance(100);
      }
      await advance(5_000);
      expect(refusedIndexes).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }),
  );
});
