import { describe, expect, test } from '@jest/globals';
import { sqlAt } from '../../../test/kit/postgres.ts';
import { until } from '../../../test/kit/until.ts';
import type { Parcel } from './parcels.ts';
import { advance, arrived, clock, deliver, hanging, noon, offices, open, plan, states, url, usePost } from './post.ts';

usePost();

describe('a row', () => {
  test('that is due is sent once by two processes, loses its content and becomes SENT', async () => {
    await plan(Array.from({ length: 400 }, (_, n) => `Street${n} 1`));
    await Promise.all([open().outbox.drain(), open().outbox.drain()]);
    await until('all are sent', () => arrived.length >= 400);
    await Promise.all(offices.map(({ outbox }) => outbox.drain()));
    expect(new Set(arrived).size).toBe(400);
    expect(arrived).toHaveLength(400);
    expect(await states()).toEqual(
      arrived.map(() => expect.objectContaining({ status: 'SENT', content: null, attempts: 1, sent_at: clock.now })),
    );
  });

  test('waits until it is due', async () => {
    await plan(['North 1']);
    await sqlAt(url, `UPDATE parcels SET next_at = next_at + interval '2 seconds'`);
    const { outbox } = open();
    await outbox.drain();
    expect(arrived).toEqual([]);
    advance(1);
    expect(await outbox.findLag(['ALL'])).toBe(0);
    advance(4);
    expect(await outbox.findLag(['ALL'])).toBe(4);
    await outbox.drain();
    expect([arrived, await outbox.findLag(['ALL'])]).toEqual([['parcel 1'], 0]);
  });

  test('that fails is retried after growing pauses, at the latest when it expires', async () => {
    await plan(['North 1']);
    const { outbox } = open(() => Promise.reject(new Error('nobody is at home')));
    const pauses = [2, 6, 18, 54, 162, 486, 1458, 1413];
    for (const [index, pause] of pauses.entries()) {
      await outbox.drain();
      expect(await states()).toMatchObject([{ status: 'PLANNED', attempts: index + 1, isLeased: false, pause }]);
      advance(pause);
    }
  });

  test('is skipped or fails with a reason, or is postponed as if it had never been tried', async () => {
    await plan(['North 1', 'North 2', 'North 3']);
    const { outbox } = open(deliver, {
      async send(rows) {
        const [parcel] = rows;
        if (parcel.house === 'North 1') await outbox.end(rows, { status: 'SKIPPED', reason: 'The house is empty.' });
        if (parcel.house === 'North 2') await outbox.end(rows, { status: 'FAILED', reason: 'The house refused it.' });
        if (parcel.house === 'North 3') await outbox.postpone(rows, new Date(noon + 60_000));
      },
    });
    await outbox.drain();
    expect(await states()).toMatchObject([
      { status: 'SKIPPED', reason: 'The house is empty.', attempts: 1, isLeased: false },
      { status: 'FAILED', reason: 'The house refused it.', attempts: 1, isLeased: false },
      { status: 'PLANNED', reason: null, attempts: 0, isLeased: false, pause: 60, at: new Date(noon + 60_000) },
    ]);
  });

  test('stays leased until the consequences of its end succeed too', async () => {
    await plan(['North 1']);
    const seen: unknown[] = [];
    const { outbox, connections } = open(deliver, {
      async end(_rows, _ended, endIn) {
        seen.push(...(await states()));
        if (seen.length < 3) throw new Error('a lost connection');
        return endIn(connections);
      },
    });
    await outbox.drain();
    expect(seen).toMatchObject(Array.from({ length: 3 }, () => ({ status: 'PLANNED', isLeased: true })));
    expect(await states()).toMatchObject([{ status: 'SENT', attempts: 1 }]);
  });
});

describe('a lease', () => {
  test('is renewed while its row is being sent, so no other process claims it', async () => {
    await plan(['North 1']);
    const { send, release } = hanging();
    const { outbox } = open(send);
    outbox.wake();
    await until('it is claimed', async () => (await states()).every(({ isLeased }) => isLeased));
    advance(8);
    await until('it is renewed', async () => (await states()).every(({ pause }) => pause === 10));
    advance(8);
    await open().outbox.drain();
    expect(arrived).toEqual([]);
    release();
    await outbox.drain();
    expect([arrived, await states()]).toMatchObject([['parcel 1'], [{ status: 'SENT', attempts: 1, lease: 1 }]]);
  });

  test('that has ended is lost to another process: the former holder is aborted, and can change nothing', async () => {
    await plan(['North 1']);
    const outcomes: Parcel[][] = [];
    const { outbox } = open(deliver, {
      async send(rows, attempt) {
        await new Promise((resolve) => attempt.signal.addEventListener('abort', resolve));
        expect(() => attempt.beginContent()).toThrow();
        outcomes.push(await outbox.end(rows, { status: 'SENT' }));
        await outbox.retry(rows);
        await outbox.postpone(rows, new Date(noon + 60_000));
      },
    });
    outbox.wake();
    await until('it is claimed', async () => (await states()).every(({ isLeased }) => isLeased));
    advance(11);
    const { send, release, begun } = hanging();
    const other = open(send).outbox;
    other.wake();
    await until('the other process sends it', () => begun.length === 1);
    await outbox.drain();
    expect(outcomes).toEqual([[]]);
    expect(await states()).toMatchObject([{ status: 'PLANNED', isLeased: true, attempts: 2, lease: 2 }]);
    release();
    await other.drain();
    expect([arrived, await states()]).toMatchObject([['parcel 1'], [{ status: 'SENT', attempts: 2, lease: 2 }]]);
  });
});

describe('a stop', () => {
  test('ends rows in progress, and releases waiting ones untried', async () => {
    await plan(['North 1', 'North 1']);
    const { send, begun, release } = hanging();
    const { outbox } = open(send);
    outbox.wake();
    await until('one is being sent', () => begun.length === 1);
    const closed = outbox.close(60_000);
    release();
    await closed;
    expect(await states()).toMatchObject([
      { status: 'SENT', attempts: 1 },
      { status: 'PLANNED', attempts: 0, isLeased: false, pause: 0 },
    ]);
    await outbox.drain();
    expect(arrived).toEqual(['parcel 1']);
  });

  test('aborts rows that take too long, which are due at once for another process', async () => {
    await plan(['North 1']);
    const { send, begun } = hanging();
    const { outbox } = open(send);
    outbox.wake();
    await until('it is being sent', () => begun.length === 1);
    await outbox.close(1);
    expect(await states()).toMatchObject([{ status: 'PLANNED', attempts: 1, isLeased: false, pause: 0 }]);
    await open().outbox.drain();
    expect([arrived, await states()]).toMatchObject([['parcel 1'], [{ status: 'SENT', attempts: 2 }]]);
  });
});
