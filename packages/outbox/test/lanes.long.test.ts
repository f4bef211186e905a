import { describe, expect, test } from '@jest/globals';
import { until } from '../../../test/kit/until.ts';
import { advance, arrived, deliver, hanging, numbered, open, plan, states, usePost } from './post.ts';

usePost();

describe('fairness', () => {
  test('gives a recipient one slot and a group four, and another group comes before the rest of them', async () => {
    const { send, begun, release } = hanging(({ house }) => house.startsWith('North'));
    await plan([...Array.from({ length: 10 }, () => 'North 0'), ...numbered(300, 'North')]);
    const { outbox } = open(send, { slots: 8 });
    outbox.wake();
    await until('four hang', () => begun.length === 4);
    await plan(['South 1'], 'other');
    outbox.wake();
    await until('the other one is sent', () => arrived.includes('other 1'));
    const ofRecipient = begun.filter((id) => Number(id.replace('parcel ', '')) <= 11);
    expect([begun.length, ofRecipient.length, arrived]).toEqual([5, 1, ['other 1']]);
    release();
    await until('all are sent', async () => {
      advance(1);
      await outbox.drain();
      return arrived.length === 311;
    });
  });

  test('gives a wider group sixteen slots', async () => {
    const { send, begun, release } = hanging(({ house }) => house.startsWith('North'));
    await plan(Array.from({ length: 30 }, (_, n) => `North${n} 1`));
    const { outbox } = open(send, {
      slots: 32,
      recipientOf: ({ house }) => (house.startsWith('North') ? [house, `street of ${house}`, 'north'] : [house, house]),
    });
    outbox.wake();
    await until('sixteen hang', () => begun.length === 16);
    expect(await outbox.runBeside('ALL', ['South', 'south'], () => Promise.resolve(begun.length))).toBe(16);
    release();
    await outbox.drain();
    expect(arrived).toHaveLength(30);
  });

  test('gives work without a row a slot of its group', async () => {
    const { send, begun, release } = hanging(({ house }) => house.startsWith('North'));
    await plan(numbered(4, 'North'));
    const { outbox } = open(send, { slots: 8 });
    outbox.wake();
    await until('four hang', () => begun.length === 4);
    const beside = outbox.runBeside('ALL', ['a test', 'North'], () => Promise.resolve(arrived.length));
    expect(await outbox.runBeside('ALL', ['a test', 'South'], () => Promise.resolve(arrived.length))).toBe(0);
    release();
    expect(await beside).toBeGreaterThan(0);
  });

  test('lets rows of a key share a batch, or wait for a limit', async () => {
    const batches: string[][] = [];
    await plan(['North 1', 'North 2', 'North 1', 'North 3']);
    const { outbox } = open(deliver, {
      batchesOf: ([first, ...others]) => (first ? [[first, ...others]] : []),
      delayOf: ([first]) => (first?.house === 'North 3' ? 300 : 0),
      async send(rows) {
        batches.push(rows.map(({ id }) => id));
        await outbox.end(rows, { status: 'SENT' });
      },
    });
    await outbox.drain();
    expect(batches.sort()).toEqual([['parcel 1', 'parcel 3'], ['parcel 2']]);
    expect((await states())[3]).toMatchObject({ status: 'PLANNED', attempts: 0, isLeased: false, pause: 300 });
  });
});

describe('an ordered table', () => {
  test('sends the rows of a key one after another, also by two processes', async () => {
    const houses = ['North 1', 'South 1', 'West 1'];
    await plan(Array.from({ length: 90 }, (_, n) => houses[n % 3] ?? ''));
    const [one, other] = [open(deliver, { isOrdered: true }), open(deliver, { isOrdered: true })];
    await until('all are sent', async () => {
      await Promise.all([one.outbox.drain(), other.outbox.drain()]);
      return arrived.length >= 90;
    });
    for (const house of [0, 1, 2]) {
      const own = Array.from({ length: 30 }, (_, n) => `parcel ${3 * n + house + 1}`);
      expect(arrived.filter((id) => own.includes(id))).toEqual(own);
    }
  });

  test('lets the later rows of a key wait for a retry, however many, but not those of others', async () => {
    await plan(Array.from({ length: 6000 }, () => 'North 1'));
    await plan(['South 1'], 'other');
    const { outbox } = open(
      (parcel, attempt) =>
        parcel.id === 'parcel 1' && parcel.attempts === 1
          ? Promise.reject(new Error('nobody is at home'))
          : deliver(parcel, attempt),
      { isOrdered: true },
    );
    await outbox.drain();
    expect(arrived).toEqual(['other 1']);
    expect((await states()).filter(({ attempts }) => attempts > 0)).toMatchObject([{ id: 'other 1' }, { pause: 2 }]);
    advance(2);
    outbox.wake();
    await until('the first ones are sent', () => arrived.length > 5);
    expect(arrived.slice(1, 5)).toEqual(['parcel 1', 'parcel 2', 'parcel 3', 'parcel 4']);
  });
});
