import { afterEach, beforeAll, beforeEach } from '@jest/globals';
import { sqlAt } from '../../../test/kit/postgres.ts';
import { createParcels, openOffice, type Parcel, type Send } from './parcels.ts';

export const noon = Date.parse('2026-11-24T12:00:00Z');

export let url: string;
export let clock: { now: Date };
export let offices: ReturnType<typeof openOffice>[];
export let arrived: string[];

/** Gives each test an empty table of parcels, at noon, and closes its offices. */
export function usePost(): void {
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
}

export const deliver: Send = ({ id }) => Promise.resolve(arrived.push(id));

export function open(send: Send = deliver, options: Parameters<typeof openOffice>[2] = {}) {
  const office = openOffice(url, send, { clock, ...options });
  offices.push(office);
  return office;
}

export const advance = (seconds: number) => {
  clock.now = new Date(clock.now.getTime() + seconds * 1000);
};

/** Plans parcels that are due at noon, in this order. */
export const plan = (houses: readonly string[], prefix = 'parcel'): Promise<unknown> =>
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

export const states = () =>
  sqlAt<State>(
    url,
    `SELECT *, leased_until IS NOT NULL AS "isLeased", extract(epoch FROM next_at - $1)::int AS pause
     FROM parcels ORDER BY length(id), id`,
    [clock.now],
  );

/** A delivery that waits until it is released. */
export function hanging(isHanging: (parcel: Parcel) => boolean = () => true) {
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

export const numbered = (count: number, street: string) => Array.from({ length: count }, (_, n) => `${street} ${n}`);
