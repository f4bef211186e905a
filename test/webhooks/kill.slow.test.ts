import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { makeTask } from '../kit/make.ts';
import { spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { silentServer } from '../kit/smtp.ts';
import type { User } from '../kit/users.ts';
import { signUp } from '../kit/users.ts';
import { until } from '../kit/until.ts';
import { Endpoint } from './endpoint.ts';
import { changeWebhook, makeWebhook, nearby, rowOf, untilIdle } from './webhooks.ts';

const secret = 'a secret that all processes share';

let service: Service;
let endpoint: Endpoint;
let anna: User;
const processes: { signal(name: NodeJS.Signals): void; ended: Promise<unknown> }[] = [];

beforeAll(async () => {
  service = await startService({ ...nearby, SESSION_SECRET: secret });
});
afterAll(() => service.close());
beforeEach(async () => {
  endpoint = await Endpoint.open();
  anna = await signUp(service);
});
afterEach(async () => {
  for (const each of processes.splice(0)) {
    each.signal('SIGKILL');
    await each.ended;
  }
  await endpoint.close();
});

async function spawn(variables: Record<string, string> = {}) {
  const shared = { ...service.variables, ...nearby, SESSION_SECRET: secret, RATE_LIMITS: 'off' };
  const process = await spawnService({ ...shared, ...variables });
  processes.push(process);
  return process;
}

test.each([
  ['its record', 'recordTakenMessage', 1],
  ['its record, which fixes the next message', 'fixWebhookMessage', 2],
])(
  'a kill between the 200 and %s: the same message comes once more, then the next',
  async (_name, statement, count) => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 1 });
    await changeWebhook(anna, webhook.id, { enabled: false });
    const other = await spawn();
    // Only the other process sends.
    await service.services.webhooks.close();
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    endpoint.respond = (response) => {
      // The record waits for this lock.
      void client
        .query('BEGIN')
        .then(() => client.query('SELECT FROM webhooks WHERE id = $1 FOR UPDATE', [webhook.id]))
        .then(() => response.end());
    };
    const tasks = [];
    for (let made = 0; made < count; made += 1) tasks.push(await makeTask(anna));
    await changeWebhook(anna, webhook.id, { enabled: true });
    const message = await endpoint.next();
    await until('the process waits to record the 200', async () => {
      const [row] = await service.sql<{ waiting: boolean }>(
        `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%') AS waiting`,
        [statement],
      );
      return row?.waiting === true;
    });
    other.signal('SIGKILL');
    await other.ended;
    tasks.push(await makeTask(anna));
    endpoint.respond = (response) => response.end();
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%' || $1 || '%' AND pid <> pg_backend_pid()`,
      [statement],
    );
    await client.query('ROLLBACK');
    await client.end();
    await spawn();
    const again = await endpoint.next();
    const [first, ...others] = tasks.map(({ id }) => id);
    expect([again.id, again.changes.map(({ taskId }) => taskId)]).toEqual([message.id, [first]]);
    expect((await endpoint.nextChanges(others.length)).map(({ taskId }) => taskId)).toEqual(others);
    await untilIdle(service, webhook.id);
    expect(new Set(endpoint.all.map(({ id }) => id)).size).toBe(tasks.length);
    expect(endpoint.all).toHaveLength(tasks.length + 1);
  },
);

test('over several processes, one message is in flight, and each change comes once, in order', async () => {
  await Promise.all([spawn(), spawn()]);
  let [running, most] = [0, 0];
  endpoint.respond = (response) => {
    running += 1;
    most = Math.max(most, running);
    setImmediate(() => {
      running -= 1;
      response.end();
    });
  };
  const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 1 });
  const ids: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    ids.push((await makeTask(anna)).id);
    if (n % 10 === 0) await service.sql('UPDATE webhooks SET next_at = now() WHERE leased_until IS NULL');
  }
  const changes = await endpoint.nextChanges(40);
  expect(changes.map(({ taskId }) => taskId)).toEqual(ids);
  await untilIdle(service, webhook.id);
  expect([most, endpoint.all.length]).toEqual([1, 40]);
  expect(await rowOf(service, webhook.id)).toMatchObject({ state: 'ACTIVE' });
});

test('a stop while neither the endpoint nor the mail server responds leaves the message and the mail to the next process', async () => {
  // Only the other process sends.
  await service.services.webhooks.close();
  await service.services.mailer.close();
  const mailServer = await silentServer();
  const other = await spawn({ SMTP_URL: mailServer.url });
  endpoint.respond = () => undefined;
  const { webhook } = await makeWebhook(anna, endpoint.url);
  await makeTask(anna);
  await endpoint.next();
  await anna.data('mutation { sendTestMail }');
  await mailServer.accepted;
  other.signal('SIGTERM');
  expect(await other.ended).toBe(0);
  await mailServer.close();
  const isFree = [{ leased_until: null }];
  expect(await service.sql("SELECT leased_until FROM deliveries WHERE kind = 'TEST'")).toEqual(isFree);
  expect(await service.sql('SELECT leased_until FROM webhooks WHERE id = $1', [webhook.id])).toEqual(isFree);
});
