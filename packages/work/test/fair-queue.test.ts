import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FairKey } from '../group-counts.ts';
import { idleRequests, loadOf } from '../load.ts';
import { policy, recorder, TestQueue, runMicrotasks, withClock, work } from './queues.ts';

describe('FairQueue', () => {
  test('runs a limited number of jobs at once, and the jobs of a key in the order of arrival', async () => {
    const queue = new TestQueue({ ...policy, slots: 1 });
    const [first, second, third] = [work(), work(), work()];
    const all = [first, second, third].map((each) => queue.run('anna', each.start));
    const started = () => [first, second, third].map((each) => each.hasBegun());
    expect(started()).toEqual([true, false, false]);
    expect(queue.load).toEqual({ running: 1, waiting: 2 });
    first.end();
    await runMicrotasks();
    expect(started()).toEqual([true, true, false]);
    second.end();
    third.end();
    await Promise.all(all);
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
  });

  test(
    'gives turns by used time: a new key does not wait behind the backlog of another',
    withClock(async (advance) => {
      const { started, add } = recorder(new TestQueue({ ...policy, slots: 1 }));
      for (let count = 0; count < 20; count += 1) void add('hog', 100);
      await advance(1);
      void add('ben', 10);
      void add('clara', 10);
      await advance(120);
      expect(started).toEqual(['hog', 'ben', 'clara', 'hog']);
    }),
  );

  test(
    'makes a key with long jobs pay with its next turns: keys get equal time, not equal numbers of jobs',
    withClock(async (advance) => {
      const { started, add } = recorder(new TestQueue({ ...policy, slots: 1, burstMs: 60_000, patienceMs: 60_000 }));
      for (let count = 0; count < 30; count += 1) {
        void add('long', 100);
        void add('short', 10);
      }
      await advance(600);
      const [long, short] = ['long', 'short'].map((key) => started.filter((each) => each === key).length);
      expect(short).toBeGreaterThan(20);
      expect(long).toBeLessThan(6);
    }),
  );

  test('gives a key half of the slots, and reserves some for keys with hardly any use', async () => {
    const queue = new TestQueue({ ...policy, slots: 8 });
    const holdSlots = (key: string, count: number) => {
      const pieces = Array.from({ length: count }, work);
      const all = Promise.all(pieces.map(({ start }) => queue.run(key, start)));
      return {
        started: () => pieces.filter(({ hasBegun }) => hasBegun()).length,
        end: () => pieces.forEach(({ end }) => end()),
        all,
      };
    };
    const holders = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => holdSlots(key, 20));
    expect(holders.map(({ started }) => started())).toEqual([4, 3, 1, 0, 0, 0, 0]);
    holders.forEach(({ end }) => end());
    await Promise.all(holders.map(({ all }) => all));
    // Their share is used up, so one slot stays free.
    const holdersAgain = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((key) => holdSlots(key, 20));
    expect(queue.load.running).toBe(7);
    const light = holdSlots('light', 1);
    expect(light.started()).toBe(1);
    [...holdersAgain, light].forEach(({ end }) => end());
    await Promise.all([...holdersAgain, light].map(({ all }) => all));
    expect(queue.load).toEqual({ running: 0, waiting: 0 });
  });

  test('bounds a key, and each group around it at four times as much', () => {
    const queue = new TestQueue({ ...policy, slots: 100, slotsPerKey: 2 });
    for (let client = 0; client < 20; client += 1) {
      for (let each = 0; each < 5; each += 1) {
        void queue.run([`client ${client}`, `network ${Math.floor(client / 10)}`, 'provider'], work().start);
      }
    }
    expect(queue.load.running).toBe(16);
    void queue.run('alone', work().start);
    expect(queue.load.running).toBe(17);
  });

  test('reserves slots for groups that hold none', () => {
    const queue = new TestQueue({ name: 'test', slots: 4, slotsPerKey: 1 });
    const pieces = ['a', 'b', 'c', 'd'].map((name) => {
      const piece = work();
      void queue.run([name, 'one domain'], piece.start);
      return piece;
    });
    const other = work();
    void queue.run(['e', 'another'], other.start);
    expect(pieces.map(({ hasBegun }) => hasBegun())).toEqual([true, true, true, false]);
    expect(other.hasBegun()).toBe(true);
    [...pieces, other].forEach(({ end }) => end());
  });

  test('bounds the waiting jobs of a key, and of each group around it at four times as many', () => {
    const queue = new TestQueue({ ...policy, slots: 1, waitingPerKey: 2 });
    void queue.run('runs', work().start);
    for (let client = 0; client < 20; client += 1) {
      for (let each = 0; each < 5; each += 1) void queue.run([`client ${client}`, 'network'], work().start);
    }
    expect(queue.load.waiting).toBe(8);
  });

  test(
    'charges a group for the use of its members: more clients get a network no more turns',
    withClock(async (advance) => {
      const { started, add } = recorder(new TestQueue({ ...policy, slots: 1, burstMs: 60_000, patienceMs: 60_000 }));
      for (let count = 0; count < 200; count += 1) void add([`member ${count}`, 'network'], 10, 'network');
      for (let count = 0; count < 200; count += 1) void add('ben', 10);
      await advance(1000);
      const bensCount = started.filter((each) => each === 'ben').length;
      // A group has four times the share of a key.
      expect(bensCount).toBeGreaterThanOrEqual(15);
      expect(bensCount).toBeLessThanOrEqual(30);
    }),
  );

  test('refuses a job at once if too many of its key wait, and lets another key wait', async () => {
    const queue = new TestQueue({ ...policy, slots: 1, waitingPerKey: 1 });
    const [running, waitingWork, other] = [work(), work(), work()];
    const all = [queue.run('a', running.start), queue.run('a', waitingWork.start), queue.run('b', other.start)];
    await expect(queue.run('a', () => Promise.resolve())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    for (const each of [running, waitingWork, other]) each.end();
    await Promise.all(all);
  });

  test(
    'lets a burst wait and refuses its late jobs, except reads for the response to a write',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 1, patienceMs: 1000 });
      const running = work();
      const first = queue.run('a', running.start);
      const outcome = queue.run('a', () => Promise.resolve()).catch((error: unknown) => error);
      const patientWork = queue.run('a', () => Promise.resolve('done'), { isPatient: true });
      await advance(900);
      expect(queue.load.waiting).toBe(2);
      await advance(200);
      expect(await outcome).toMatchObject({ code: 'UNAVAILABLE', extensions: { retryAfter: 1 } });
      await advance(5000);
      running.end();
      await first;
      expect(await patientWork).toBe('done');
      await expect(queue.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
    }),
  );

  test(
    'refuses soon under overload, and serves the newest job first',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 1, patienceMs: 1000, overloadMs: 100 });
      const waits: number[] = [];
      let refusedCount = 0;
      for (let count = 0; count < 400; count += 1) {
        const since = performance.now();
        queue
          .run('a', async () => {
            waits.push(performance.now() - since);
            await new Promise((resolve) => setTimeout(resolve, 50));
          })
          .catch(() => (refusedCount += 1));
        await advance(10);
      }
      // Four seconds at five times the capacity use all slots, and late work waits only briefly.
      expect(waits.length).toBeGreaterThan(70);
      expect(refusedCount).toBeGreaterThan(250);
      const lateWaits = waits.slice(-30);
      expect(lateWaits.filter((ms) => ms <= 100)).toHaveLength(lateWaits.length);
      expect(lateWaits.filter((ms) => ms <= 50).length).toBeGreaterThan(20);
    }),
  );

  test(
    'keeps its patience with other keys under an overload of one key',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 8, slotsPerKey: 1, patienceMs: 1000, overloadMs: 100 });
      const refusedKeys: string[] = [];
      const pieces = [work(), work()];
      const add = (key: string, start: () => Promise<void>) =>
        void queue.run(key, start).catch(() => void refusedKeys.push(key));
      pieces.forEach(({ start }, index) => add(['hog', 'ben'][index] ?? '', start));
      for (let count = 0; count < 200; count += 1) {
        add('hog', () => Promise.resolve());
        await advance(10);
      }
      add('ben', () => Promise.resolve());
      await advance(500);
      expect(refusedKeys).toContain('hog');
      expect(refusedKeys).not.toContain('ben');
      pieces.forEach(({ end }) => end());
    }),
  );

  test(
    'does not refuse the job whose turn is next under an overload by others',
    withClock(async (advance) => {
      const queue = new TestQueue({ ...policy, slots: 1, burstMs: 1000, overloadMs: 100 });
      const { started, add } = recorder(queue);
      for (const key of ['a', 'b', 'c']) {
        for (let count = 0; count < 10; count += 1) void add(key, 400).catch(() => undefined);
      }
      await advance(2_100);
      const ben = add('ben', 0);
      await advance(400);
      await ben;
      expect(started).toContain('ben');
    }),
  );

  test('drops a waiting job whose caller has gone, and counts it as idle while it waits', async () => {
    const queue = new TestQueue({ ...policy, slots: 1 });
    const running = work();
    const first = queue.run('a', running.start);
    const controller = new AbortController();
    const abandonedWork = queue.run('a', () => Promise.resolve(), { signal: controller.signal });
    expect(idleRequests()).toBe(1);
    controller.abort(new Error('gone'));
    await expect(abandonedWork).rejects.toThrow('gone');
    expect(idleRequests()).toBe(0);
    running.end();
    await first;
    expect(loadOf('test')).toEqual({ running: 0, waiting: 0 });
  });

  test('tells a job whether it has waited', async () => {
    const queue = new TestQueue({ ...policy, slots: 1 });
    const first = work();
    const returnWaited = (waited: boolean) => Promise.resolve(waited);
    const running = queue.run('anna', first.start);
    const waitingWork = queue.run('anna', returnWaited);
    first.end();
    await running;
    expect(await waitingWork).toBe(true);
    expect(await queue.run('anna', returnWaited)).toBe(false);
  });

  test('never exceeds its bounds, never stops, and keeps no slot', async () => {
    const key = fc.constantFrom<FairKey>('a', 'b', ['c', 'n'], ['d', 'n'], ['e', 'm', 'w'], ['f', 'k', 'w']);
    const piece = fc.record({ key, steps: fc.nat(5), fails: fc.boolean() });
    const property = fc.asyncProperty(
      fc.array(piece, { maxLength: 60 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 3 }),
      async (pieces, slots, slotsPerKey) => {
        const queue = new TestQueue({ name: 'test', slots, slotsPerKey });
        let running = 0;
        const heldSlots = new Map<string, number>();
        const results = await Promise.allSettled(
          pieces.map((each) =>
            queue.run(each.key, async () => {
              running += 1;
              expect(running).toBeLessThanOrEqual(slots);
              [each.key].flat().forEach((one, width) => {
                heldSlots.set(one, (heldSlots.get(one) ?? 0) + 1);
                expect(heldSlots.get(one)).toBeLessThanOrEqual(slotsPerKey * 4 ** width);
              });
              await runMicrotasks(each.steps);
              running -= 1;
              for (const one of [each.key].flat()) heldSlots.set(one, (heldSlots.get(one) ?? 0) - 1);
              if (each.fails) throw new Error('failed');
            }),
          ),
        );
        expect(results.map(({ status }) => status)).toEqual(
          pieces.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
        expect(queue.load).toEqual({ running: 0, waiting: 0 });
      },
    );
    await fc.assert(property);
  });
});
