import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { TaskgateError } from '../../src/kernel/errors.ts';
import { KeyedLimiter, loadOf, SharedLimiter } from '../../src/kernel/keyed-limiter.ts';

/** Work that goes on until it is told to end. */
function work() {
  let end = () => {};
  let begun = false;
  const done = new Promise<void>((resolve) => (end = resolve));
  const start = () => {
    begun = true;
    return done;
  };
  return { start, end: () => end(), hasBegun: () => begun };
}

const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
};

const patient = { name: 'test', concurrency: 1, maxWaiting: 100, maxWaitMs: 60_000 };

describe('KeyedLimiter', () => {
  test('runs the work of a key in order, and that of other keys beside it', async () => {
    const limiter = new KeyedLimiter(patient);
    const [first, second, other] = [work(), work(), work()];
    const running = [limiter.run('a', first.start), limiter.run('a', second.start), limiter.run('b', other.start)];
    await turns();
    expect([first, second, other].map((each) => each.hasBegun())).toEqual([true, false, true]);
    first.end();
    await running[0];
    await turns();
    expect(second.hasBegun()).toBe(true);
    second.end();
    other.end();
    await Promise.all(running);
    expect(limiter.load).toEqual({ running: 0, waiting: 0 });
  });

  test('refuses what finds too many waiting, at once', async () => {
    const limiter = new KeyedLimiter({ ...patient, maxWaiting: 1 });
    const [running, waiting] = [work(), work()];
    const both = [limiter.run('a', running.start), limiter.run('a', waiting.start)];
    await expect(limiter.run('a', () => Promise.resolve())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    running.end();
    waiting.end();
    await Promise.all(both);
  });

  test('refuses what waits too long, and goes on with the next', async () => {
    const limiter = new KeyedLimiter({ ...patient, maxWaitMs: 5 });
    const running = work();
    const first = limiter.run('a', running.start);
    await expect(limiter.run('a', () => Promise.resolve())).rejects.toBeInstanceOf(TaskgateError);
    running.end();
    await first;
    await expect(limiter.run('a', () => Promise.resolve('done'))).resolves.toBe('done');
  });

  test('lets go of a waiting place whose caller has gone', async () => {
    const limiter = new KeyedLimiter(patient);
    const running = work();
    const first = limiter.run('a', running.start);
    const leaving = new AbortController();
    const abandoned = limiter.run('a', () => Promise.resolve(), leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(abandoned).rejects.toThrow('gone');
    running.end();
    await first;
    expect(limiter.load).toEqual({ running: 0, waiting: 0 });
  });

  test('never runs more of a key than its bound, never stops, and keeps no key', async () => {
    const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 4 });
    const piece = fc.record({ keys, steps: fc.nat(5), fails: fc.boolean() });
    const property = fc.asyncProperty(
      fc.array(piece, { maxLength: 40 }),
      fc.integer({ min: 1, max: 3 }),
      async (pieces, concurrency) => {
        const limiter = new KeyedLimiter({ ...patient, concurrency });
        const running = new Map<string, number>();
        const add = (all: string[], by: number) =>
          all.forEach((key) => {
            running.set(key, (running.get(key) ?? 0) + by);
            expect(running.get(key)).toBeLessThanOrEqual(concurrency);
          });
        const results = await Promise.allSettled(
          pieces.map((each) =>
            limiter.run(each.keys, async () => {
              add(each.keys, 1);
              await turns(each.steps);
              add(each.keys, -1);
              if (each.fails) throw new Error('failed');
            }),
          ),
        );
        expect(results.map(({ status }) => status)).toEqual(
          pieces.map(({ fails }) => (fails ? 'rejected' : 'fulfilled')),
        );
        expect(limiter.load).toEqual({ running: 0, waiting: 0 });
      },
    );
    await fc.assert(property);
  });
});

describe('SharedLimiter', () => {
  const ofAccount = { name: 'shared_of_account', concurrency: 1 };
  const ofAll = { name: 'shared', concurrency: 2 };

  test('runs a few pieces of work of an account, and so many of all', async () => {
    const limiter = new SharedLimiter(ofAccount, ofAll);
    const [first, second, ofBen, ofClara] = [work(), work(), work(), work()];
    const running = [
      limiter.run('anna', first.start),
      limiter.run('anna', second.start),
      limiter.run('ben', ofBen.start),
      limiter.run('clara', ofClara.start),
    ];
    const begun = async () => {
      await turns();
      return [first, second, ofBen, ofClara].map((each) => each.hasBegun());
    };
    expect(await begun()).toEqual([true, false, true, false]);
    expect([loadOf('shared_of_account').waiting, loadOf('shared').waiting]).toEqual([1, 1]);
    ofBen.end();
    expect(await begun()).toEqual([true, false, true, true]);
    first.end();
    expect(await begun()).toEqual([true, true, true, true]);
    for (const each of [second, ofClara]) each.end();
    await Promise.all(running);
    expect(loadOf('shared')).toEqual({ running: 0, waiting: 0 });
  });

  test('tells the work whether it has waited for others of its account or for those of all', async () => {
    const limiter = new SharedLimiter(ofAccount, { ...ofAll, concurrency: 1 });
    const first = work();
    const hasWaited = (waited: boolean) => Promise.resolve(waited);
    const running = limiter.run('anna', first.start);
    await turns();
    const waiting = [limiter.run('anna', hasWaited), limiter.run('ben', hasWaited), limiter.run(undefined, hasWaited)];
    await turns();
    first.end();
    await running;
    expect(await Promise.all(waiting)).toEqual([true, true, true]);
    expect(await limiter.run('anna', hasWaited)).toBe(false);
  });
});
