import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type * as statementNames from '../../src/database/statement-names.ts';

// Names last as long as the process. A fresh copy of the module keeps other tests' names.
const anew: string = '../../src/database/statement-names.ts?anew';
const { statementName } = (await import(anew)) as typeof statementNames;

// The order matters: named statements count for the life of the process.
test('a statement is named by its text alone, the same in every process', () => {
  const text = 'SELECT 1 AS one';
  const hash = createHash('sha256').update(text).digest('hex');
  expect(statementName(text)).toBe(`taskgate_${hash.slice(0, 32)}`);
  expect(statementName('SELECT 2 AS two')).not.toBe(statementName(text));
  expect(statementName(text)).toBe(statementName(text));
});

test('texts have names until all that have one are so long together that plans of more would fill the memory', () => {
  const texts = Array.from({ length: 100 }, (_, index) => `SELECT '${String(index).repeat(10_000)}'`);
  const named = texts.filter((text) => statementName(text) !== '');
  expect(named.join('').length).toBeGreaterThan(100_000);
  expect(named.join('').length).toBeLessThan(200_000);
  expect(statementName(texts.at(-1) ?? '')).toBe('');
  expect(statementName('SELECT 1 AS one')).not.toBe('');
});
