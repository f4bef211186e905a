import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { explanations } from './survivors.ts';

const onOneLine = (text: string) => text.replaceAll(/\s+/g, ' ');

test.each(Object.keys(explanations))('explanations of mutants in %s name lines that it has', (file) => {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => onOneLine(line.trim()));
  const named = (explanations[file] ?? []).map(({ was }) => was);
  expect(named.filter((was) => !lines.includes(was))).toEqual([]);
});
