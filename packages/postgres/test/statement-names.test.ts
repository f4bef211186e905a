import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { StatementNames } from '../statement-names.ts';

test('the name of a statement depends only on its text, in every process', () => {
  const names = new StatementNames();
  const text = 'SELECT 1 AS one';
  const hash = createHash('sha256').update(text).digest('hex');
  expect(names.nameOf(text)).toBe(`taskgate_${hash.slice(0, 32)}`);
  expect(names.nameOf('SELECT 2 AS two')).not.toBe(names.nameOf(text));
  expect(names.nameOf(text)).toBe(names.nameOf(text));
});

test('texts get names until their total length reaches the limit for plans in memory', () => {
  const names = new StatementNames();
  expect(names.nameOf('SELECT 1 AS one')).not.toBe('');
  const texts = Array.from({ length: 100 }, (_, index) => `SELECT '${String(index).repeat(10_000)}'`);
  const named = texts.filter((text) => names.nameOf(text) !== '');
  expect(named.join('').length).toBeGreaterThan(100_000);
  expect(named.join('').length).toBeLessThan(200_000);
  expect(names.nameOf(texts.at(-1) ?? '')).toBe('');
  expect(names.nameOf('SELECT 1 AS one')).not.toBe('');
});
