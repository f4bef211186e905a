import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sqlAt } from '../../../test/kit/postgres.ts';
import { until } from '../../../test/kit/until.ts';
import { createParcels, openOffice, type Parcel, type Send } from './parcels.ts';

const noon = Date.parse('2026-11-24T12:00:00Z');

let url: string;
let clock: { now: Date };
let offices: ReturnType<typeof openOffice>[];
let arrived: string[];
beforeAll(async () => {
  url = await createParcels();
});
beforeEach(async () => {
  [clock, offices, arrived] = [{ now: new Date(noon) }, [], []];
  await sqlAt(url, 'TRUNCATE parcels');
});
afterEach(async () => {
  await Promise.all(offices.map((office) => office.close()));
});

const deliver: Send = ({ id }) => Promise.resolve(arrived.push(id));

function open(send: Send = deliver, options: Parameters<typeof openOffice>[2] = {}) {
  const office = openOffice(url, send, { clock, ...options });
  offices.push(office);
  return office;
}

const advance = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000);
};

/** Plans parcels that are due at noon, in this order. */
const plan = (houses: readonly string[], prefix = 'parcel'): Promise<unknown> =>
  sqlAt(
    url,
    `INSERT INTO parcels (id, house, content, at, next_at, expires_at)
     SELECT $2 || ' ' || n, house, 'a book', $3::timestamptz + n * interval '1 ms', $3, $3::timestamptz + interval '1 hour'
     FROM unnest($1::text[]) WITH ORDINALITY AS each (house, n)`,
    [houses, prefix, new Date(noon - 1000)],
  );

interface State {
  id: string;
  status: string;
  reason: string | null;
  attempts: number;
  lease: number;
  isLeased: boolean;
  pause: number;
}

const states = () =>
  sqlAt<State>(
    url,
    `SELECT *, leased_until IS NOT NULL AS "isLeased", extract(epoch FROM next_at - $1)::int AS pause
     FROM parcels ORDER BY length(id), id`,
    [clock.now],
  );

/** A delivery that waits until it is released. */
function hanging(isHanging: (parcel: Parcel) => boolean = () => true) {
  const begun: string[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const send: Send = async (parcel, attempt) => {
    begun.push(parcel.id);
    if (isHanging(parcel)) {
      const aborted = new Promise((_resolve, reject) => attempt.signal.addEventListener('abort', reject));
      await Promise.race([released, aborted]);
    }
    await deliver(parcel, attempt);
  };
  return { begun, send, release: () => release() };
}

const numbered = (count: number, street: string) => Array.from({ length: count }, (_, n) => `${street} ${n}`);

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
