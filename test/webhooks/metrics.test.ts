import { expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { startService } from '../kit/service.ts';
import { signUp } from '../kit/users.ts';
import { Endpoint } from './endpoint.ts';
import { makeWebhook, nearby, untilReleased } from './webhooks.ts';

test('failing webhooks are counted, and are no delay of messages', async () => {
  const service = await startService({ ...nearby, ...withMetrics });
  const endpoint = await Endpoint.open();
  endpoint.respond = (response) => response.writeHead(500).end();
  const anna = await signUp(service);
  const { id } = (await makeWebhook(anna, endpoint.url)).webhook;
  await makeTask(anna);
  await untilReleased(service, id, ({ failures }) => failures === 1);
  // Nobody sends the due message.
  await service.services.webhooks.close();
  const row = (values: string) =>
    service.sql(`UPDATE webhooks SET next_at = now() - interval '1 hour', ${values} WHERE id = $1`, [id]);
  const figures = async () => {
    const samples = await scrape(service.url);
    const valueOf = (name: string) => samples.value(name) ?? NaN;
    return [valueOf('taskgate_webhooks_failing'), valueOf('taskgate_webhook_lag_seconds')] as const;
  };
  await row('status = status');
  const [before, none] = await figures();
  await row('failing_since = NULL');
  const [after, late] = await figures();
  expect([before - after, none]).toEqual([1, 0]);
  expect(late).toBeGreaterThanOrEqual(3600);
  await Promise.all([service.close(), endpoint.close()]);
});
