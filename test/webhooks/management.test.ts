import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { changedFields } from '../../src/tasks/fields.ts';
import { resealSecrets } from '../../src/webhooks/secrets.ts';
import { makeTask, makeWorkspace } from '../kit/make.ts';
import { resolveNamesTo } from '../kit/names.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Endpoint, verify } from './endpoint.ts';
import {
  attemptsOf,
  changeWebhook,
  makeWebhook,
  nearby,
  rowOf,
  type ShownAttempt,
  untilIdle,
  untilReleased,
  webhooksOf,
} from './webhooks.ts';

let service: Service;
let anna: User;
let endpoint: Endpoint;
beforeAll(async () => {
  service = await startService({
    ...nearby,
    SESSION_SECRET: 'the newer secret of sessions,the older secret of sessions',
  });
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  endpoint = await Endpoint.open();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await endpoint.close();
});

const create = (user: User, url: string) => user.post<{ code: string }>('/api/v2/webhooks', { url });
const invalidUrl = { status: 400, body: { code: 'VALIDATION_FAILED', errors: [{ path: 'url' }] } };

const ping = async (user: User, id: string) =>
  (await user.post<{ attempt: ShownAttempt }>(`/api/v2/webhooks/${id}/test`)).body.attempt;

describe('`fields`', () => {
  test('a name that no change has is refused with the right ones', async () => {
    const { body, status } = await anna.post<{ message: string }>('/api/v2/webhooks', {
      url: endpoint.url,
      fields: ['completed', 'projectSectionId'],
    });
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'fields.1' }] },
    });
    expect(body.message).toMatch(/title, .*section, .*tags/);
  });

  test('has each name that the change log can have', async () => {
    const names = await service.sql<{ name: string }>(
      `SELECT field_of_column(attname) AS name FROM pg_attribute
      WHERE attrelid = 'tasks'::regclass AND attnum > 0 AND NOT attisdropped AND atttypid <> 'tsvector'::regtype
        AND attname NOT IN ('id', 'space_id', 'created_at', 'updated_at')
      UNION SELECT literal[1] FROM pg_proc, regexp_matches(prosrc, $$'TASK', 'UPDATED',.*?'{(\\w+)}'$$, 'g') AS literal
      WHERE pronamespace = 'public'::regnamespace`,
    );
    const fields = names.map(({ name }) => name).sort();
    expect([...changedFields].sort()).toEqual(fields);
    await makeWebhook(anna, endpoint.url, { fields });
  });
});

describe('an address', () => {
  test.each(
    `https://10.0.0.1/ https://[::ffff:10.0.0.1]/ https://2130706433.example@10.0.0.1/ https://169.254.169.254/
    https://198.18.0.1/ https://[64:ff9b:1::1]/ https://[::1]/ https://[::127.0.0.1]/ https://[fd00::1]/ https://100.64.0.1/
    https://192.168.1.1/ https://0x0a000001/ https://224.0.0.1/ http://8.8.8.8/ ftp://hooks.invalid/ https://anna@hooks.invalid/
    https://hooks.invalid/#part hooks.invalid javascript:alert(1) https://hooks.invalid/${'x'.repeat(2048)}`.split(
      /\s+/,
    ),
  )('%s is refused', async (url) => {
    const names = resolveNamesTo([]);
    expect(await create(anna, url)).toMatchObject(invalidUrl);
    expect(names).toEqual([]);
    const { webhook } = await makeWebhook(anna, endpoint.url);
    expect(await anna.patch(`/api/v2/webhooks/${webhook.id}`, { url })).toMatchObject(invalidUrl);
  });

  test.each(['https://hooks.invalid/a?b=c', 'https://8.8.8.8/', 'http://127.0.0.1:1/', 'https://[::ffff:127.0.0.1]/'])(
    '%s is accepted',
    async (url) => expect(await makeWebhook(anna, url)).toMatchObject({ webhook: { url } }),
  );

  test('has up to 2,048 code points', async () => {
    const longest = 'https://hooks.invalid/'.padEnd(22 + 2 * 2026, '\u{1f600}');
    expect(await makeWebhook(anna, longest)).toMatchObject({ webhook: { url: longest } });
    // Time to parse an international host grows with the square of its length.
    const parse = jest.spyOn(URL, 'canParse');
    expect(await create(anna, `${longest}x`)).toMatchObject(invalidUrl);
    expect(parse.mock.calls.filter(([url]) => url === `${longest}x`)).toEqual([]);
  });

  test('http, and addresses of this machine, are refused without OUTGOING_NETWORKS', async () => {
    const { networks } = service.services.webhooks;
    Object.assign(service.services.webhooks, { networks: undefined });
    for (const url of ['http://hooks.invalid/', 'https://127.0.0.1/', 'https://2130706433/', 'https://localhost/'])
      expect((await create(anna, url)).status).toBe(url.includes('localhost') ? 201 : 400);
    Object.assign(service.services.webhooks, { networks });
  });

  test.each([
    ['with a public and a private address', [['8.8.8.8', '10.0.0.1']]],
    ['that is public at first, and then of this machine', [['8.8.8.8'], ['127.0.0.1', '10.0.0.1']]],
  ])('a name %s is never connected to', async (_name, answers) => {
    const names = resolveNamesTo(...answers.map((found) => found.map((address) => ({ address, family: 4 }))));
    const { webhook } = await makeWebhook(anna, endpoint.url.replace('127.0.0.1', 'rebound.example'));
    for (let n = 1; n <= 2; n += 1) {
      const attempt = await ping(anna, webhook.id);
      expect(attempt).toMatchObject({ status: null, error: 'The endpoint could not be reached.' });
      expect(names).toHaveLength(n);
    }
    expect(endpoint.all).toEqual([]);
  });
});

describe('secrets', () => {
  test('are shown once, and encrypted at rest', async () => {
    const { webhook, secret } = await makeWebhook(anna, endpoint.url);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const bytes = Buffer.from(secret.slice(6), 'base64');
    const [row] = await service.sql<{ text: string }>('SELECT webhooks::text AS text FROM webhooks WHERE id = $1', [
      webhook.id,
    ]);
    for (const form of ['base64', 'hex', 'base64url'] as const) expect(row?.text).not.toContain(bytes.toString(form));
    const seen = [await webhooksOf(anna), (await anna.get('/api/v2/export')).body];
    expect(JSON.stringify(seen)).not.toContain(secret.slice(6, 40));
    expect(seen[1]).toMatchObject({ webhooks: [{ id: webhook.id, url: endpoint.url, state: 'active' }] });
  });

  test('the last two sign for 24 hours, the new one first', async () => {
    const { webhook, secret: first } = await makeWebhook(anna, endpoint.url);
    const rotate = async () =>
      (await anna.post<{ secret: string }>(`/api/v2/webhooks/${webhook.id}/secret`)).body.secret;
    const [second, third] = [await rotate(), await rotate()];
    await ping(anna, webhook.id);
    const message = await endpoint.next();
    for (const secret of [second, third]) verify(secret, message);
    expect(() => verify(first, message)).toThrow();
    const [newest = ''] = String(message.headers['webhook-signature']).split(' ');
    verify(third, { ...message, headers: { ...message.headers, 'webhook-signature': newest } });
    await service.sql(`UPDATE webhooks SET rotated_at = now() - interval '24 hours' WHERE id = $1`, [webhook.id]);
    await ping(anna, webhook.id);
    const later = await endpoint.next();
    verify(third, later);
    expect(() => verify(second, later)).toThrow();
  });

  test('are encrypted again with the first SESSION_SECRET', async () => {
    const { webhook, secret } = await makeWebhook(anna, endpoint.url);
    const { connections, secrets } = service.services;
    const [newer = '', older = ''] = secrets;
    const before = await service.sql('SELECT secrets FROM webhooks WHERE id = $1', [webhook.id]);
    expect(await resealSecrets(connections, [older, newer])).toBeGreaterThan(0);
    expect(await service.sql('SELECT secrets FROM webhooks WHERE id = $1', [webhook.id])).not.toEqual(before);
    await resealSecrets(connections, secrets);
    await ping(anna, webhook.id);
    verify(secret, await endpoint.next());
  });
});

describe('a test message', () => {
  test('is sent at once, in any state, and moves nothing', async () => {
    const { webhook, secret } = await makeWebhook(anna, endpoint.url);
    await changeWebhook(anna, webhook.id, { enabled: false });
    await makeTask(anna);
    const attempt = await ping(anna, webhook.id);
    const message = await endpoint.next();
    verify(secret, message);
    expect(JSON.parse(message.body)).toEqual({
      type: 'ping',
      timestamp: attempt.at,
      data: { webhookId: webhook.id },
    });
    expect(attempt).toMatchObject({ messageId: message.id, type: 'ping', changes: 0, status: 204, error: null });
    expect(await attemptsOf(anna, webhook.id)).toEqual([attempt]);
    expect(await webhooksOf(anna)).toMatchObject([{ state: 'paused', deliveredAt: null }]);
    await changeWebhook(anna, webhook.id, { enabled: true });
    expect((await endpoint.next()).changes).toHaveLength(1);
  });

  test('that fails does not make the webhook fail', async () => {
    endpoint.respond = (response) => response.writeHead(410).end();
    const { webhook } = await makeWebhook(anna, endpoint.url);
    expect(await ping(anna, webhook.id)).toMatchObject({ status: 410, error: 'The endpoint answered 410.' });
    expect(await rowOf(service, webhook.id)).toMatchObject({ state: 'ACTIVE' });
  });
});

test('only the last 50 attempts are kept', async () => {
  const { webhook } = await makeWebhook(anna, endpoint.url);
  await service.sql(
    `INSERT INTO webhook_attempts (webhook_id, message_id, type, at, ms, changes)
     SELECT $1, 'msg_' || n, 'ping', now(), 1, 0 FROM generate_series(1, 60) AS n`,
    [webhook.id],
  );
  await ping(anna, webhook.id);
  const attempts = await attemptsOf(anna, webhook.id);
  expect(attempts).toHaveLength(50);
  expect(attempts[1]?.messageId).toBe('msg_60');
  const [row] = await service.sql<{ count: number }>(
    'SELECT count(*)::int FROM webhook_attempts WHERE webhook_id = $1',
    [webhook.id],
  );
  expect(row?.count).toBe(50);
});

test('a session that signed in long ago changes neither secret nor address; a token does', async () => {
  const { webhook } = await makeWebhook(anna, endpoint.url);
  const program = await makeProgram(service, anna, { scopes: ['READ'] });
  await service.sql(`UPDATE sessions SET created_at = now() - interval '11 minutes' WHERE user_id = $1`, [anna.id]);
  const refused = { status: 403, body: { code: 'REAUTHENTICATION_REQUIRED' } };
  expect(await create(anna, endpoint.url)).toMatchObject(refused);
  expect(await anna.post(`/api/v2/webhooks/${webhook.id}/secret`)).toMatchObject(refused);
  expect(await anna.patch(`/api/v2/webhooks/${webhook.id}`, { url: endpoint.url })).toMatchObject(refused);
  expect(await changeWebhook(anna, webhook.id, { kinds: ['deleted'] })).toMatchObject({ kinds: ['deleted'] });
  const own = await makeWebhook(program, endpoint.url);
  expect((await program.post(`/api/v2/webhooks/${own.webhook.id}/secret`)).status).toBe(200);
});

test('takes spaces as an access token does: all of an account, each once', async () => {
  const makeNext = () => makeWorkspace(anna);
  const workspaces: { id: string }[] = [];
  while (workspaces.length < 100) workspaces.push(...(await Promise.all(Array.from({ length: 10 }, makeNext))));
  const all = [anna.id, ...workspaces.map(({ id }) => id)];
  expect(await makeWebhook(anna, endpoint.url, { spaceIds: all })).toMatchObject({ webhook: { spaceIds: all } });
  const once = await makeWebhook(anna, endpoint.url, { spaceIds: [anna.id, anna.id] });
  expect(once).toMatchObject({ webhook: { spaceIds: [anna.id] } });
});

test('the webhook of another account is unknown', async () => {
  const ben = await signUp(service);
  const { webhook } = await makeWebhook(anna, endpoint.url);
  for (const send of [
    () => ben.patch(`/api/v2/webhooks/${webhook.id}`, { enabled: false }),
    () => ben.delete(`/api/v2/webhooks/${webhook.id}`),
    () => ben.post(`/api/v2/webhooks/${webhook.id}/secret`),
    () => ben.post(`/api/v2/webhooks/${webhook.id}/test`),
    () => ben.get(`/api/v2/webhooks/${webhook.id}/attempts`),
  ])
    expect(await send()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await anna.delete(`/api/v2/webhooks/${webhook.id}`)).toMatchObject({
    status: 200,
    body: { msg: 'webhook deleted successfully' },
  });
  await makeTask(anna);
  expect(await webhooksOf(anna)).toEqual([]);
});

test('a new address is used from the next attempt on', async () => {
  endpoint.respond = (response) => response.writeHead(500).end();
  const { webhook } = await makeWebhook(anna, endpoint.url);
  await makeTask(anna);
  const { id } = await endpoint.next();
  await untilReleased(service, webhook.id, ({ failures }) => failures === 1);
  const other = await Endpoint.open();
  await changeWebhook(anna, webhook.id, { url: other.url });
  await changeWebhook(anna, webhook.id, { enabled: true });
  expect((await other.next()).id).toBe(id);
  await untilIdle(service, webhook.id);
  await other.close();
});

test('TaskChange has its actor and client', async () => {
  const { changes } = await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }');
  const program = await makeProgram(service, anna);
  await makeTask(program);
  const { changes: after } = await anna.data<{ changes: { nodes: object[] } }>(
    'query ($after: String!) { changes(after: $after) { nodes { actor { id } client } } }',
    { after: changes.cursor },
  );
  expect(after.nodes).toEqual([{ actor: { id: anna.id }, client: 'script' }]);
});
