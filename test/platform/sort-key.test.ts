import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keyBetween, keysBetween, spreadKeys } from '../../src/platform/sort-key.ts';
import { knownKeys } from './known-keys.ts';

/** Valid keys of clients: 1 to 255 printable ASCII characters. */
const anyKey = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 255,
});
/** Similar keys, with little or no room between them. */
const keyLikeText = fc.string({ unit: fc.constantFrom(' ', '!', '0', 'a', '}', '~'), minLength: 1, maxLength: 4 });
const key = fc.oneof(anyKey, keyLikeText);

const isKey = (value: string) => /^[ -~]{1,255}$/.test(value);

describe('keysBetween', () => {
  test.each([
    [0, []],
    [1, ['a0V']],
    [2, ['a0G', 'a0V']],
    [3, ['a0G', 'a0V', 'a0l']],
  ])('returns %d keys that halve the room', (count, keys) => {
    expect(keysBetween('a0', 'a1', count)).toEqual(keys);
  });

  test('returns null if there is no room for all of them', () => {
    expect(keysBetween('a', 'a ', 1)).toBeNull();
    const [low, high] = ['x'.repeat(198), `${'x'.repeat(198)}!`];
    expect(keysBetween(low, high, 3)).toHaveLength(3);
    expect(keysBetween(low, high, 500)).toBeNull();
  });
});

describe('keyBetween', () => {
  test('returns a key strictly between any two keys, or null', () => {
    fc.assert(
      fc.property(key, key, (one, other) => {
        const [low, high] = one < other ? [one, other] : [other, one];
        const between = keyBetween(low, high);
        expect(between === null || (isKey(between) && low < between && between < high)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns a key before or after any key, or null', () => {
    fc.assert(
      fc.property(key, (one) => {
        const [before, after] = [keyBetween(null, one), keyBetween(one, null)];
        expect(before === null || (isKey(before) && before < one)).toBe(true);
        expect(after === null || (isKey(after) && after > one)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('returns null only if there is no key or no short key between', () => {
    fc.assert(
      fc.property(keyLikeText, keyLikeText, (one, other) => {
        fc.pre(one !== other);
        const [low, high] = one < other ? [one, other] : [other, one];
        const isAdjacent = high.startsWith(low) && /^ *$/.test(high.slice(low.length));
        expect(keyBetween(low, high) === null).toBe(isAdjacent);
        expect(keyBetween(null, high) === null).toBe(/^ +$/.test(high));
        expect(keyBetween(low, null)).not.toBeNull();
      }),
      { numRuns: 2000 },
    );
  });

  test('returns null for equal keys and keys in the wrong order', () => {
    expect(keyBetween('a0', 'a0')).toBeNull();
    expect(keyBetween('a1', 'a0')).toBeNull();
    expect(keyBetween('b', 'a ')).toBeNull();
  });

  test.each(knownKeys)('between %j and %j is %j', (after, before, key) => {
    expect(keyBetween(after, before)).toBe(key);
  });

  test('returns short keys at the end and at the start of a long list', () => {
    let [first, last] = ['a0', 'a0'];
    for (let count = 0; count < 5000; count += 1) {
      const [before, after] = [keyBetween(null, first), keyBetween(last, null)];
      if (before === null || after === null) throw new Error('there is always room at the ends');
      [first, last] = [before, after];
    }
    expect(first.length).toBeLessThan(6);
    expect(last.length).toBeLessThan(6);
  });

  test('keeps a list in order after any insertions, with any keys at the start', () => {
    const insertions = fc.array(fc.nat(), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 4 }), insertions, (initialKeys, places) => {
        let list = initialKeys.toSorted((a, b) => (a < b ? -1 : 1));
        for (const place of places) {
          const index = place % (list.length + 1);
          const between = keyBetween(list[index - 1] ?? null, list[index] ?? null);
          list = between === null ? spreadKeys(list.length + 1) : list.toSpliced(index, 0, between);
        }
        expect(list).toEqual([...new Set(list)].sort((a, b) => (a < b ? -1 : 1)));
        expect(list.every(isKey)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('spreadKeys', () => {
  test('returns the requested number of keys, in order, with room around each', () => {
    fc.assert(
      fc.property(fc.nat({ max: 3000 }), (count) => {
        const keys = spreadKeys(count);
        expect(keys).toHaveLength(count);
        const gaps = [null, ...keys].map((left, index) => [left, keys[index] ?? null] as const);
        expect(gaps.every(([left, right]) => keyBetween(left, right) !== null)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });
});
