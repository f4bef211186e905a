import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkJson, jsonLimits } from '../json-limits.ts';

const check = (text: string) => () => checkJson(Buffer.from(text), 'variables');
const { values, members, nesting } = jsonLimits;

describe('JSON', () => {
  test.each([
    ['the deepest', '['.repeat(nesting) + ']'.repeat(nesting)],
    ['lists beside one another', `[${'[[]],'.repeat(nesting)}[]]`],
    ['the most values', `[${'1,'.repeat(values - 1)}1]`],
    ['the most members', `[${'{"a":1},'.repeat(members)}1]`],
    ['brackets and commas in a string', JSON.stringify('[,{"\\:'.repeat(values))],
    ['a string without an end', `"${'['.repeat(1000)}`],
  ])('within the limits is left to the parser: %s', (_label, text) => {
    expect(check(text)).not.toThrow();
  });

  test.each([
    ['deeper lists', '['.repeat(nesting + 1), /variables must have at most 100 levels/],
    ['deeper objects', '{"a":'.repeat(nesting + 1), /variables must have at most 100 levels/],
    ['more values', `[${'1,'.repeat(values)}1]`, /variables must have at most 100000 values in all/],
    ['more members', `[${'{"a":1},'.repeat(members + 1)}1]`, /variables must have at most 20000 fields in all/],
    ['what follows an escaped quote', `["\\"", ${'['.repeat(nesting)}`, /100 levels/],
    ['what follows an escaped backslash', `["\\\\", ${'['.repeat(nesting)}`, /100 levels/],
  ])('beyond the limits is refused: %s', (_label, text, message) => {
    expect(check(text)).toThrow(message);
  });

  test('of strings is counted correctly, whatever the strings contain', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (strings) => {
        const filler = Array<number>(values - strings.length).fill(1);
        expect(check(JSON.stringify([...strings, ...filler]))).not.toThrow();
        expect(check(JSON.stringify([...strings, ...filler, 1]))).toThrow();
      }),
      { numRuns: 20 },
    );
  });
});
