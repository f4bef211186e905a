import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Endpoint } from './endpoint.ts';
import {
  attemptsOf,
  changeWebhook,
  makeWebhook,
  nearby,
  retryNow,
  rowOf,
  untilIdle,
  untilReleased,
  webhooksOf,
} from './webhooks.ts';

let service: Service;
let anna: User;
let endpoint: Endpoint;
beforeAll(async () => {
  service = await startService(nearby);
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  endpoint = await Endpoint.open();
});
afterEach(() => endpoint.close());

const refuse = (status: number, headers: Record<string, string> = {}) => {
  endpoint.respond = (response) => response.writeHead(status, headers).end('no');
};
const accept = () => {
  endpoint.respond = (response) => response.end();
};

/** A webhook whose first message was refused. */
async function failing(status = 500, headers: Record<string, string> = {}, input: object = {}) {
  refuse(status, headers);
  const { webhook } = await makeWebhook(anna, endpoint.url, input);
  const task = await makeTask(anna);
  const message = await endpoint.next();
  await untilReleased(service, webhook.id, ({ failures, state }) => failures === 1 || state === 'DISABLED');
  return { id: webhook.id, task, message };
}

const since = (id: string, age: string) =>
  service.sql(`UPDATE webhooks SET failing_since = now() - $2::interval, next_at = now() WHERE id = $1`, [id, age]);

const codeOf = ({ status, body }: { status: number; body: unknown }) => [status, (body as { code: string }).code];

describe('a message that failed', () => {
  test('is repeated with its id and changes; later changes follow in the next one', async () => {
    const { id, task, message } = await failing();
    const later = await makeTask(anna);
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'as it is now' });
    accept();
    await retryNow(service, id);
    const again = await endpoint.next();
    expect(again.id).toBe(message.id);
    expect(again.changes.map(({ cursor }) => cursor)).toEqual(message.changes.map(({ cursor }) => cursor));
    expect(again.changes).toMatchObject([{ kind: 'created', taskId: task.id, task: { title: 'as it is now' } }]);
    expect(again.cursor).toBe(message.cursor);
    const rest = await endpoint.next();
    expect(rest.id).not.toBe(message.id);
    expect(rest.changes.map(({ kind, taskId }) => [kind, taskId])).toEqual([
      ['created', later.id],
      ['updated', task.id],
    ]);
    await untilIdle(service, id);
    expect(await webhooksOf(anna)).toMatchObject([{ state: 'active', reason: null, failingSince: null }]);
  });

  test('is replaced by smaller ones if its tasks have grown beyond 1 MiB', async () => {
    refuse(500);
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 500 });
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_' || lpad(n::text, 26, '1'), $1, projects.id, 'short', 'a' || n
       FROM generate_series(10, 39) AS n, projects WHERE space_id = $1 AND is_default`,
      [anna.id],
    );
    const large = await endpoint.next();
    expect(large.changes).toHaveLength(30);
    await untilReleased(service, webhook.id, ({ failures }) => failures === 1);
    await service.sql("UPDATE tasks SET description = repeat('🙂', 16000) WHERE space_id = $1", [anna.id]);
    accept();
    await retryNow(service, webhook.id);
    const changes = await endpoint.nextChanges(30);
    await untilIdle(service, webhook.id);
    expect([...new Set(changes.map(({ taskId }) => taskId))].sort()).toEqual(
      large.changes.map(({ taskId }) => taskId).sort(),
    );
    const sent = endpoint.all.slice(1);
    expect(sent.map(({ id }) => id)).not.toContain(large.id);
    for (const { body } of sent) expect(Buffer.byteLength(body)).toBeLessThan(256 * 1024);
  });

  test('loses a change whose task is gone; its deletion follows', async () => {
    const { id, task } = await failing();
    await anna.delete(`/api/v2/todo/${task.id}`);
    accept();
    await retryNow(service, id);
    expect((await endpoint.next()).changes).toMatchObject([{ kind: 'deleted', taskId: task.id }]);
    await untilIdle(service, id);
    expect(endpoint.all).toHaveLength(2);
  });

  test('has a growing pause before each repetition, and attempts say why', async () => {
    const { id } = await failing(503);
    for (const [index, seconds] of [5, 30, 120, 600, 1800, 3600, 3600].entries()) {
      const row = await rowOf(service, id);
      expect(row).toMatchObject({ state: 'FAILING', failures: index + 1, reason: 'The endpoint answered 503.' });
      expect(row.seconds).toBeGreaterThan(seconds * 0.8 - 3);
      expect(row.seconds).toBeLessThan(seconds * 1.2);
      await retryNow(service, id);
      await endpoint.next();
      await untilReleased(service, id, ({ failures }) => failures === index + 2);
    }
    const attempts = await attemptsOf(anna, id);
    expect(attempts).toHaveLength(8);
    expect(attempts[0]).toMatchObject({ status: 503, error: 'The endpoint answered 503.', changes: 1 });
    expect(new Set(attempts.map(({ messageId }) => messageId)).size).toBe(1);
  });

  test.each([
    ['120', 100, 120],
    ['999999', 3590, 3600],
    ['1', 3, 7],
    ['soon', 3, 7],
    [new Date(Date.now() + 7_200_000).toUTCString(), 3590, 3600],
  ])('waits as long as `Retry-After: %s` asks, up to an hour', async (value, least, most) => {
    const { id } = await failing(429, { 'Retry-After': value });
    const { seconds } = await rowOf(service, id);
    expect(seconds).toBeGreaterThan(least - 1);
    expect(seconds).toBeLessThanOrEqual(most);
  });

  test('follows no redirect', async () => {
    const { id } = await failing(307, { Location: `${endpoint.url}inside` });
    expect(endpoint.all.map(({ path }) => path)).toEqual(['/']);
    expect((await attemptsOf(anna, id))[0]).toMatchObject({ status: 307, error: 'The endpoint redirects.' });
  });

  test('is taken, whatever comes after a 2xx', async () => {
    endpoint.respond = (response) => {
      response.writeHead(202);
      const more = () => void response.write('x'.repeat(10_000), (error) => error ?? setImmediate(more));
      more();
    };
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await makeTask(anna);
    await endpoint.next();
    await untilIdle(service, webhook.id);
    expect((await attemptsOf(anna, webhook.id))[0]).toMatchObject({ status: 202, error: null });
  });

  test('is one without a response within 15 seconds', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const over = new AbortController();
    jest
      .spyOn(AbortSignal, 'timeout')
      .mockImplementation((milliseconds) => (milliseconds === 15_000 ? over.signal : timeout(milliseconds)));
    const closed = new Promise<void>((resolve) => (endpoint.respond = (response) => response.on('close', resolve)));
    await makeTask(anna);
    await endpoint.next();
    over.abort();
    await closed;
    await untilReleased(service, webhook.id, ({ failures }) => failures === 1);
    expect(await attemptsOf(anna, webhook.id)).toMatchObject([
      { status: null, error: 'The endpoint did not answer within 15 seconds.' },
    ]);
    jest.restoreAllMocks();
  });

  test('of an endpoint that cannot be reached names no address', async () => {
    const { url } = endpoint;
    await endpoint.close();
    const { webhook } = await makeWebhook(anna, url);
    await makeTask(anna);
    await untilReleased(service, webhook.id, ({ failures }) => failures === 1);
    const [attempt] = await attemptsOf(anna, webhook.id);
    expect(attempt).toMatchObject({ status: null, error: 'The endpoint could not be reached.' });
    endpoint = await Endpoint.open();
  });
});

describe('a webhook that fails for long', () => {
  test('is reported to its owner after 24 hours, once', async () => {
    const { id } = await failing();
    await since(id, '24 hours');
    const mail = await service.mailbox.take(anna.email);
    expect(mail.subject).toBe('A webhook of your Taskgate account has failed for a day');
    expect(mail.text).toContain('The endpoint answered 500.');
    await untilReleased(service, id, ({ failures }) => failures === 2);
    await since(id, '25 hours');
    await untilReleased(service, id, ({ failures }) => failures === 3);
    const [row] = await service.sql<{ count: number }>(
      `SELECT count(*)::int FROM deliveries WHERE user_id = $1 AND kind = 'NOTICE'`,
      [anna.id],
    );
    expect(row?.count).toBe(1);
  });

  test('is disabled after five days, with a mail, and resumes at its position', async () => {
    const { id, task, message } = await failing();
    await since(id, '5 days');
    expect((await service.mailbox.take(anna.email)).subject).toBe('A webhook of your Taskgate account was disabled');
    expect(await rowOf(service, id)).toMatchObject({ state: 'DISABLED' });
    const [shown] = await webhooksOf(anna);
    expect(shown).toMatchObject({ state: 'disabled', reason: expect.stringContaining('five days') });
    const missed = [await makeTask(anna), await makeTask(anna)];
    refuse(500);
    expect(await changeWebhook(anna, id, { enabled: true })).toMatchObject({ state: 'active', reason: null });
    await untilReleased(service, id, ({ failures }) => failures === 1);
    accept();
    await retryNow(service, id);
    const changes = await endpoint.nextChanges(5);
    expect(changes.map(({ taskId }) => taskId).slice(-3)).toEqual([task, ...missed].map((each) => each.id));
    expect(endpoint.all.at(-2)?.id).toBe(message.id);
  });

  test('is disabled at once after a 410', async () => {
    const { id } = await failing(410);
    expect(await rowOf(service, id)).toMatchObject({ state: 'DISABLED', reason: 'The endpoint answered 410.' });
    expect((await service.mailbox.take(anna.email)).text).toContain('The endpoint answered 410.');
  });

  test('is disabled if the log was pruned beyond its position', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await changeWebhook(anna, webhook.id, { enabled: false });
    await makeTask(anna);
    await service.sql('UPDATE spaces SET log_start = revision, log_start_nonce = history_nonce WHERE id = $1', [
      anna.id,
    ]);
    expect(codeOf(await anna.patch(`/api/v2/webhooks/${webhook.id}`, { enabled: true }))).toEqual([
      400,
      'CURSOR_EXPIRED',
    ]);
    await service.sql(`UPDATE webhooks SET status = 'PLANNED', next_at = now() WHERE id = $1`, [webhook.id]);
    expect((await service.mailbox.take(anna.email)).text).toContain('The change log does not go back');
    expect(await rowOf(service, webhook.id)).toMatchObject({ state: 'DISABLED' });
    expect(endpoint.all).toEqual([]);
    await changeWebhook(anna, webhook.id, { since: new Date().toISOString(), enabled: true });
    const task = await makeTask(anna);
    expect((await endpoint.next()).changes).toMatchObject([{ taskId: task.id }]);
  });
});

describe('resuming', () => {
  test('a paused webhook keeps its position, and sends every missed change in order', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 2 });
    expect(await changeWebhook(anna, webhook.id, { enabled: false })).toMatchObject({ state: 'paused' });
    const ids = [];
    for (let n = 0; n < 5; n += 1) ids.push((await makeTask(anna)).id);
    expect(endpoint.all).toEqual([]);
    await changeWebhook(anna, webhook.id, { enabled: true });
    expect((await endpoint.nextChanges(5)).map(({ taskId }) => taskId)).toEqual(ids);
  });

  test('`since` sends later changes again under new ids, and alone changes no state', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    const start = new Date().toISOString();
    const task = await makeTask(anna);
    const first = await endpoint.next();
    await untilIdle(service, webhook.id);
    expect(await changeWebhook(anna, webhook.id, { since: start })).toMatchObject({ state: 'active' });
    const again = await endpoint.next();
    expect(again.changes).toMatchObject([{ taskId: task.id, kind: 'created' }]);
    expect(again.id).not.toBe(first.id);
    await untilIdle(service, webhook.id);
    await changeWebhook(anna, webhook.id, { enabled: false });
    expect(await changeWebhook(anna, webhook.id, { since: start })).toMatchObject({ state: 'paused' });
  });

  test('a moment before the retention is CURSOR_EXPIRED, a future one is refused', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    const path = `/api/v2/webhooks/${webhook.id}`;
    const days = (count: number) => new Date(Date.now() + count * 86_400_000).toISOString();
    expect(codeOf(await anna.patch(path, { since: days(-8) }))).toEqual([400, 'CURSOR_EXPIRED']);
    expect(await anna.patch(path, { since: days(1) })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'since' }] },
    });
    expect(await anna.patch(path, { since: days(-6) })).toMatchObject({ status: 200 });
  });
});

describe('endpoints that hang', () => {
  test('use four attempts of their account, and delay nobody else', async () => {
    const ben = await signUp(service);
    const held: (() => void)[] = [];
    let running = 0;
    let most = 0;
    endpoint.respond = (response) => {
      running += 1;
      most = Math.max(most, running);
      response.on('close', () => (running -= 1));
      held.push(() => response.end());
    };
    for (let n = 0; n < 20; n += 1) await makeWebhook(anna, endpoint.url);
    expect(await anna.post('/api/v2/webhooks', { url: endpoint.url })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED' },
    });
    const other = await Endpoint.open();
    await makeWebhook(ben, other.url);
    await makeTask(anna);
    for (let n = 0; n < 4; n += 1) await endpoint.next();
    const task = await makeTask(ben);
    expect((await other.next()).changes).toMatchObject([{ taskId: task.id }]);
    expect([running, most]).toEqual([4, 4]);
    for (let taken = 4; taken < 20; taken += 1) {
      held.shift()?.();
      await endpoint.next();
    }
    expect(most).toBe(4);
    for (const release of held) release();
    await other.close();
  });
});
