import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newId, observeId } from '../../client/src/replica/ids.ts';
import { keyBetween, keysBetween } from '../../client/src/replica/sort-key.ts';
import { canBeNewId } from '../../src/platform/ids.ts';
import * as service from '../../src/platform/sort-key.ts';
import { knownKeys } from '../platform/known-keys.ts';

const digit = fc.constantFrom(...'0123456789ABCXYZabcxyz'.split(''));
const canonicalLike = fc
  .tuple(fc.constantFrom('a', 'b', 'c', 'A', 'Z', 'Y', 'z'), fc.array(digit, { minLength: 1, maxLength: 30 }))
  .map(([head, rest]) => head + rest.join(''));
const anyKey = fc.option(
  fc.oneof(
    canonicalLike,
    fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }),
    fc.constantFrom(
      'a0',
      'a1',
      'Zz',
      'b00',
      'zz',
      `A${'0'.repeat(26)}`,
      `z${'z'.repeat(26)}`,
      'y'.repeat(200),
      '5'.repeat(60),
    ),
  ),
);

test('keysBetween() returns the same keys as the service', () => {
  expect(keysBetween('a0', 'a1', 3)).toEqual(service.keysBetween('a0', 'a1', 3));
  expect(keysBetween('a0', 'a0', 1)).toBeNull();
  const [low, high] = ['x'.repeat(198), `${'x'.repeat(198)}!`];
  expect(keysBetween(low, high, 3)).toHaveLength(3);
  expect(keysBetween(low, high, 500)).toBeNull();
  fc.assert(
    fc.property(anyKey, anyKey, fc.integer({ min: 0, max: 40 }), (one, other, count) => {
      expect(keysBetween(one, other, count)).toEqual(service.keysBetween(one, other, count));
    }),
    { numRuns: 1000 },
  );
});

describe('keyBetween()', () => {
  test.each(knownKeys)('between %j and %j is %j', (after, before, key) => {
    expect(keyBetween(after, before)).toBe(key);
  });

  test('returns a key before one that JavaScript reads as 0, which equals null', () => {
    expect(keyBetween(null, '0')).toBe(service.keyBetween(null, '0'));
    expect(keyBetween(null, '0')).not.toBeNull();
  });

  test('returns the same keys as the service', () => {
    fc.assert(
      fc.property(anyKey, anyKey, (one, other) => {
        expect(keyBetween(one, other)).toBe(service.keyBetween(one, other));
      }),
      { numRuns: 5_000 },
    );
  });

  test('returns the same keys for repeated insertions at one place', () => {
    let [first, last] = ['a0', 'a1'];
    for (let count = 0; count < 300; count += 1) {
      const isFirst = count % 3 === 0;
      const key = keyBetween(first, last) ?? '';
      expect(key).toBe(service.keyBetween(first, last) ?? '');
      if (key === '') break;
      if (isFirst) first = key;
      else last = key;
    }
    let end: string | null = null;
    for (let count = 0; count < 5_000; count += 1) {
      const next = keyBetween(end, null);
      expect(next).toBe(service.keyBetween(end, null));
      end = next;
    }
  });
});

describe('newId()', () => {
  test('returns ids that the service accepts, each greater than the one before', () => {
    const ids = Array.from({ length: 1_000 }, () => newId('task'));
    expect(ids.filter((id) => !canBeNewId('Task', id))).toEqual([]);
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('returns ids greater than all observed ids', () => {
    const later = 'mut_01zzzzzzzze1234567890abcde';
    expect(newId('mut') < later).toBe(true);
    observeId(later);
    expect(newId('mut') > later).toBe(true);
  });
});
