import { expect, test } from '@jest/globals';
import { responseCache, bytesOf } from '../../src/transport/response-cache.ts';

test.each(['', 'a', 'ü', '\u{1F600}', 'long '.repeat(2000)])('bytes are JSON, in memory of their own (%#)', (text) => {
  const bytes = bytesOf({ text });
  expect(bytes.toString()).toBe(JSON.stringify({ text }));
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('small answers are counted with all that keeping them takes', () => {
  responseCache.clear();
  const body = bytesOf({});
  for (let count = 0; count < 200_000; count++) responseCache.set(`state ${count}`, { type: 'application/json', body });
  expect(responseCache.size).toBeLessThan(100_000);
  expect(responseCache.calculatedSize).toBeGreaterThan(responseCache.size * 500);
  responseCache.clear();
});
