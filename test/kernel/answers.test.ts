import { expect, test } from '@jest/globals';
import { answers, bytesOf } from '../../src/kernel/answers.ts';

test.each(['', 'a', 'ü', '\u{1F600}', 'long '.repeat(2000)])('bytes are JSON, in memory of their own (%#)', (text) => {
  const bytes = bytesOf({ text });
  expect(bytes.toString()).toBe(JSON.stringify({ text }));
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('small answers are counted with all that keeping them takes', () => {
  answers.clear();
  const body = bytesOf({});
  for (let count = 0; count < 200_000; count++) answers.set(`state ${count}`, { type: 'application/json', body });
  expect(answers.size).toBeLessThan(100_000);
  expect(answers.calculatedSize).toBeGreaterThan(answers.size * 500);
  answers.clear();
});
