import { expect, test } from '@jest/globals';
import { bytesOf, ResponseCache } from '../../src/http/response-cache.ts';

test.each(['', 'a', 'ü', '\u{1F600}', 'long '.repeat(2000)])('bytes are JSON, in memory of their own (%#)', (text) => {
  const bytes = bytesOf({ text });
  expect(bytes.toString()).toBe(JSON.stringify({ text }));
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('small answers are counted with all that keeping them takes', () => {
  const responses = new ResponseCache();
  const body = bytesOf({});
  for (let count = 0; count < 200_000; count++) responses.set(`state ${count}`, { type: 'application/json', body });
  expect(responses.size).toBeLessThan(100_000);
  expect(responses.calculatedSize).toBeGreaterThan(responses.size * 500);
  responses.close();
});
