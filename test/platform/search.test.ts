import { expect, test } from '@jest/globals';
import { isText } from '@taskgate/base';
import { containing } from '../../src/platform/search.ts';

test('a search takes wildcards as plain characters', () => {
  expect(containing('50%_\\').contains).toBe('50\\%\\_\\\\');
});

test('no pattern is much longer than a name, because PostgreSQL folds it for each row', () => {
  const longest = '😀'.repeat(255);
  const longestInLowerCase = 'İ'.repeat(255).toLowerCase();
  for (const search of [longest, longestInLowerCase]) {
    expect(containing(search).contains).toBe(search);
    expect(containing(`${search}!`).contains).not.toBe(search);
  }
  expect(containing('%'.repeat(1_000_000)).contains.length).toBeLessThan(2000);
  expect(isText(containing(`${'a'.repeat(510)}😀😀`).contains)).toBe(true);
});
