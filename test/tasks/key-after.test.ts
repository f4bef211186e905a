import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyBetween } from 'fractional-indexing';
import pg from 'pg';
import { keyBetween } from '../../src/platform/sort-key.ts';
import { createTestDatabase } from '../kit/postgres.ts';

const heads = Array.from('abcdefghijklmnopqrstuvwxyz');
const digits = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

/** Keys from fractional-indexing, most with a carry. */
const madeKey = fc
  .tuple(
    fc.constantFrom(...heads),
    fc.array(fc.oneof(fc.constantFrom('z', 'Z', '9', '0'), fc.constantFrom(...digits)), {
      minLength: 26,
      maxLength: 26,
    }),
    fc.nat(26),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.string({ unit: fc.constantFrom(...digits), maxLength: 5 }), fc.constantFrom(...digits.slice(1)))
        .map((parts) => parts.join('')),
    ),
  )
  .map(([head, integer, carriedDigits, fraction]) => {
    const length = heads.indexOf(head) + 1;
    const keptDigits = integer.slice(0, Math.max(0, length - carriedDigits)).join('');
    return head + keptDigits.padEnd(length, 'z') + fraction;
  });

/** Any key of a client, and keys that look generated. */
const anyKey = fc.oneof(
  fc.string({ unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)), minLength: 1 }),
  fc.string({ unit: fc.constantFrom('Z', 'a', 'b', 'c', '0', '1', 'z', '~', ' '), minLength: 1, maxLength: 6 }),
);

describe('key_after in SQL', () => {
  let client: pg.Client;

  beforeAll(async () => {
    client = new pg.Client({ connectionString: await createTestDatabase() });
    await client.connect();
  });
  afterAll(() => client.end());

  async function keysAfter(keys: (string | null)[]): Promise<(string | null)[]> {
    const { rows } = await client.query<{ key: string | null }>(
      'SELECT key_after(last) AS key FROM unnest($1::text[]) WITH ORDINALITY AS given (last, n) ORDER BY n',
      [keys],
    );
    return rows.map(({ key }) => key);
  }

  test('is the key of fractional-indexing after each of its keys, except with the greatest integer part', async () => {
    const greatestInteger = `z${'z'.repeat(26)}`;
    await fc.assert(
      fc.asyncProperty(fc.array(madeKey, { minLength: 100, maxLength: 100 }), async (keys) => {
        const expected = keys.map((key) => (key.startsWith(greatestInteger) ? null : generateKeyBetween(key, null)));
        expect(await keysAfter(keys)).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  });

  test('is the key that the service would choose after any key, or null', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyKey, { minLength: 100, maxLength: 100 }), async (keys) => {
        const after = await keysAfter(keys);
        expect(after).toEqual(keys.map((key, index) => (after[index] === null ? null : keyBetween(key, null))));
      }),
      { numRuns: 30 },
    );
  });

  test.each([
    [null, 'a0'],
    ['a0', 'a1'],
    ['a9', 'aA'],
    ['aZ', 'aa'],
    ['az', 'b00'],
    ['azV', 'b00'],
    ['bzz', 'c000'],
    ['c000', 'c001'],
    ['c0z9', 'c0zA'],
    ['c000V', 'c001'],
    [`y${'z'.repeat(25)}`, `z${'0'.repeat(26)}`],
    [`z${'z'.repeat(25)}y`, `z${'z'.repeat(26)}`],
  ])('after %s is %s, as in the service', async (last, next) => {
    expect(await keysAfter([last])).toEqual([next]);
    expect(keyBetween(last, null)).toBe(next);
  });

  test.each(['', 'a', 'c00', 'a00', 'c0000', 'Zz', '~', 'a-', 'a0 ', 'a\u00e9', 'a0\n', `z${'z'.repeat(26)}`])(
    'is null after %j',
    async (last) => expect(await keysAfter([last])).toEqual([null]),
  );
});
