import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { codePoints, generalProblems, maxListEntries, maxProblems, paragraphs } from '../../src/kernel/input.ts';

describe('lengths', () => {
  test('are counted in code points, of any string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'ü', '🦊', '\ud83e', '\udd8a') }), (value) => {
        expect(codePoints(value)).toBe([...value].length);
      }),
    );
  });

  test('are bounded where a text has several lines', () => {
    expect(paragraphs(3).safeParse('🦊\n🦊').success).toBe(true);
    expect(paragraphs(3).safeParse('abcd').error?.issues).toMatchObject([
      { message: 'must be at most 3 characters long' },
    ]);
  });
});

test('of any number of bad texts, as values or as names of fields, a few are named', () => {
  const bad = Array.from({ length: maxListEntries }, (_, index) => `\0${index}`);
  for (const input of [bad, Object.fromEntries(bad.map((name) => [name, 1]))]) {
    expect(generalProblems({ input })).toHaveLength(maxProblems);
  }
});
