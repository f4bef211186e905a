import { expect, test } from '@jest/globals';
import { bytesOf, ResponseCache } from '../../src/http/response-cache.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';

test.each(['', 'a', 'ü', '\u{1F600}', 'long '.repeat(2000)])('bytes are JSON in separate memory (%#)', (text) => {
  const bytes = bytesOf({ text });
  expect(bytes.toString()).toBe(JSON.stringify({ text }));
  expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('small responses are counted with their overhead', () => {
  const responses = new ResponseCache(48 * 1024 * 1024);
  const body = bytesOf({});
  for (let count = 0; count < 200_000; count++) responses.set(`state ${count}`, { body });
  expect(responses.size).toBeLessThan(100_000);
  expect(responses.calculatedSize).toBeGreaterThan(responses.size * 500);
});

test('CACHE_BYTES bounds the caches of responses, documents and statements', async () => {
  const service = await startService({ CACHE_BYTES: String(1024 * 1024 + 1) });
  const user = await signUp(service);
  const fields = 'title completed priority color dueDate isAllDay description reminder createdAt'.split(' ');
  // Each selection is another statement; other values alone are not.
  for (let count = 1; count <= 400; count += 1) {
    const selected = fields.filter((_field, index) => count & (1 << index));
    await user.graphql(`{ ${'a'.repeat(255)}: tasks(first: ${count}) { nodes { id ${selected.join(' ')} } } }`);
  }
  const { connections, responses } = service.services;
  const { compiled } = connections;
  for (const cache of [responses, compiled]) {
    expect(cache.calculatedSize).toBeGreaterThan(cache.maxSize / 2);
    expect(cache.calculatedSize).toBeLessThanOrEqual(cache.maxSize);
  }
  expect(responses.maxSize + compiled.maxSize).toBe(768 * 1024);
  await service.close();
});

test('a mutation is not read from the cache', async () => {
  const service = await startService(withMetrics);
  const user = await signUp(service);
  const countMisses = async () => (await scrape(service.url)).value('taskgate_response_cache_misses_total') ?? 0;
  const before = await countMisses();
  await user.graphql('{ viewer { id } }');
  expect(await countMisses()).toBe(before + 1);
  await user.graphql('mutation { __typename }');
  expect(await countMisses()).toBe(before + 1);
  await service.close();
});
