import { describe, expect, test } from '@jest/globals';
import { hashingPolicy } from '../../src/accounts/passwords.ts';
import { policy, recorder, TestQueue, withClock, work } from './queues.ts';

describe('FairQueue', () => {
  test(
    'serves few pieces of work, however long each takes on processors that are busy with other work',
    withClock(async (pass) => {
      const { begun, add } = recorder(new TestQueue(hashingPolicy));
      for (let count = 0; count < 20; count += 1) void add('anna', 2_000);
      await pass(12_000);
      void add('anna', 2_000);
      await pass(12_000);
      expect(begun).toHaveLength(21);
    }),
  );

  test(
    'refuses the oldest of many late pieces, until few are left',
    withClock(async (pass) => {
      const queue = new TestQueue({ ...policy, slots: 1, patienceMs: 1_000, few: 3 });
      const refused: number[] = [];
      void queue.run('anna', work().start);
      for (let count = 0; count < 10; count += 1) {
        queue.run('anna', work().start).catch(() => refused.push(count));
        await pass(100);
      }
      await pass(5_000);
      expect(refused).toEqual([0, 1, 2, 3, 4, 5, 6]);
    }),
  );
});
