import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { cases } from './cases.ts';

let service: Service;
beforeAll(async () => {
  service = await startService(withMetrics);
});
afterAll(() => service.close());

test('every queue of the metrics has a case that floods it', async () => {
  const { text } = await scrape(service.url);
  const names = [...text.matchAll(/^taskgate_queue_running\{queue="(\w+)"\}/gm)].map(([, name]) => name);
  // Other test files in this process use queues whose names begin with `test`.
  // The work that wakes webhooks, and the work on claims, have no owner.
  expect(Object.keys(cases).sort()).toEqual(
    names.filter((name = '') => !/^(test|webhooks$|claims$)/.test(name)).sort(),
  );
});
