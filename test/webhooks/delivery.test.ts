import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Endpoint, verify } from './endpoint.ts';
import { attemptsOf, changeWebhook, makeWebhook, nearby, untilIdle, webhooksOf } from './webhooks.ts';

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

describe('a message', () => {
  test('has the changes as the change log of REST shows them, and is signed', async () => {
    const start = await anna.get<{ cursor: string }>('/api/v2/changes');
    const { webhook, secret } = await makeWebhook(anna, endpoint.url);
    const task = await makeTask(anna, { title: 'milk' });
    const message = await endpoint.next();
    verify(secret, message);
    expect(message.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^Taskgate-Webhooks\/\d/),
      'webhook-signature': expect.stringMatching(/^v1,\S+$/),
    });
    expect(message.id).toMatch(/^msg_/);
    const log = await anna.get<{ changes: object[]; cursor: string }>(`/api/v2/changes?after=${start.body.cursor}`);
    const [change] = log.body.changes;
    const byAnna = { actorId: anna.id, client: expect.any(String) };
    expect(JSON.parse(message.body)).toEqual({
      type: 'tasks.changed',
      timestamp: message.changes[0]?.at,
      data: { webhookId: webhook.id, changes: [{ ...change, ...byAnna }], cursor: log.body.cursor },
    });
    expect(message.changes).toMatchObject([{ kind: 'created', taskId: task.id, task: { title: 'milk' } }]);
    await untilIdle(service, webhook.id);
    expect(await webhooksOf(anna)).toMatchObject([{ state: 'active', deliveredAt: expect.any(String) }]);
    expect(await attemptsOf(anna, webhook.id)).toEqual([
      {
        ...{ messageId: message.id, type: 'tasks.changed', changes: 1, status: 204, error: null },
        ...{ at: expect.any(String), ms: expect.any(Number) },
      },
    ]);
  });

  test('begins where the last one ended, and nothing comes twice', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 3 });
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push((await makeTask(anna)).id);
    const changes = await endpoint.nextChanges(10);
    expect(changes.map(({ taskId }) => taskId)).toEqual(ids);
    await untilIdle(service, webhook.id);
    expect(endpoint.all.every((message) => message.changes.length <= 3)).toBe(true);
    const [last] = endpoint.all.slice(-1);
    const rest = await anna.get(`/api/v2/changes?after=${last?.cursor}`);
    expect(rest.body).toMatchObject({ changes: [] });
    const attempts = await attemptsOf(anna, webhook.id);
    expect(attempts.map(({ messageId }) => messageId)).toEqual(endpoint.all.map(({ id }) => id).reverse());
  });

  test('comes soon also after the clock of the database was set back', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url);
    await makeTask(anna);
    await endpoint.next();
    // The last two are of a process that was killed, and of an endpoint that failed.
    for (const columns of [['sent_at'], ['next_at'], ['next_at', 'leased_until'], ['next_at', 'failing_since']]) {
      await untilIdle(service, webhook.id);
      const later = columns.map((column) => `${column} = now() + interval '1 hour'`).join(', ');
      await service.sql(`UPDATE webhooks SET ${later} WHERE id = $1`, [webhook.id]);
      const task = await makeTask(anna);
      expect((await endpoint.next()).changes).toMatchObject([{ taskId: task.id }]);
    }
  });

  test('comes to each of several webhooks, although they share reads', async () => {
    const hooks = [];
    for (let n = 0; n < 6; n += 1) hooks.push(await makeWebhook(anna, `${endpoint.url}${n}`, { maxChanges: 4 }));
    const ids: string[] = [];
    for (let n = 0; n < 12; n += 1) ids.push((await makeTask(anna)).id);
    await endpoint.nextChanges(hooks.length * ids.length);
    for (const { webhook } of hooks) {
      await untilIdle(service, webhook.id);
      const own = endpoint.all.filter(({ webhookId }) => webhookId === webhook.id);
      expect(own.flatMap(({ changes }) => changes.map(({ taskId }) => taskId))).toEqual(ids);
    }
  });

  test.each([
    ['new position holds', (start: string) => ({ since: start }), 2],
    ['new filter does not repeat it', () => ({ kinds: ['created'] }), 1],
  ])('that is in flight while its webhook changes: a %s', async (_name, inputAt, expected) => {
    const start = new Date().toISOString();
    let answer = () => {};
    endpoint.respond = (response) => (answer = () => response.end());
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 1 });
    const ids = [(await makeTask(anna)).id, (await makeTask(anna)).id];
    expect((await endpoint.next()).changes).toMatchObject([{ taskId: ids[0] }]);
    await changeWebhook(anna, webhook.id, inputAt(start));
    endpoint.respond = (response) => response.end();
    answer();
    const changes = await endpoint.nextChanges(expected);
    expect(changes.map(({ taskId }) => taskId)).toEqual(ids.slice(-expected));
    await untilIdle(service, webhook.id);
    expect(await attemptsOf(anna, webhook.id)).toHaveLength(1 + expected);
  });

  test('cuts a transaction of many tasks, and ends before 256 KiB', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { maxChanges: 500 });
    const { body } = await anna.get<{ user: { id: string } }>('/api/v1/user/profile');
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, description, sort_key)
       SELECT 'task_' || lpad(n::text, 26, '0'), $1, projects.id, 'long', repeat('ä', 16000), 'a' || n
       FROM generate_series(10, 39) AS n, projects WHERE space_id = $1 AND is_default`,
      [body.user.id],
    );
    const changes = await endpoint.nextChanges(30);
    expect(new Set(changes.map(({ taskId }) => taskId)).size).toBe(30);
    await untilIdle(service, webhook.id);
    expect(endpoint.all.length).toBeGreaterThan(3);
    for (const message of endpoint.all) expect(Buffer.byteLength(message.body)).toBeLessThan(256 * 1024);
  });
});

describe('filters', () => {
  test('"done" is one change with `completed`; a rename sends nothing with `fields: ["completed"]`', async () => {
    const task = await makeTask(anna);
    const { webhook } = await makeWebhook(anna, endpoint.url, { kinds: ['updated'], fields: ['completed'] });
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'renamed' });
    await anna.patch(`/api/v2/todo/${task.id}`, { completed: true });
    const changes = await endpoint.nextChanges(1);
    expect(changes).toMatchObject([{ kind: 'updated', taskId: task.id }]);
    expect(changes[0]?.changedFields).toContain('completed');
    await untilIdle(service, webhook.id);
    expect(endpoint.unread).toBe(0);
  });

  test('other kinds pass a filter of fields', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { fields: ['completed'] });
    const task = await makeTask(anna);
    expect(await endpoint.nextChanges(1)).toMatchObject([{ kind: 'created' }]);
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'renamed' });
    await untilIdle(service, webhook.id);
    await anna.delete(`/api/v2/todo/${task.id}`);
    expect(await endpoint.nextChanges(1)).toMatchObject([{ kind: 'deleted', taskId: task.id, task: null }]);
    expect(endpoint.all).toHaveLength(2);
  });

  test('only the given spaces are sent', async () => {
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    await makeWebhook(anna, endpoint.url, { spaceIds: [workspace.id] });
    await makeTask(anna);
    const shared = await makeTask(anna, { projectId: project.id });
    expect(await endpoint.nextChanges(1)).toMatchObject([{ taskId: shared.id }]);
    expect(endpoint.all).toHaveLength(1);
  });

  test('a new filter holds from then on', async () => {
    const { webhook } = await makeWebhook(anna, endpoint.url, { fields: ['completed'], kinds: ['updated'] });
    const task = await makeTask(anna);
    await changeWebhook(anna, webhook.id, { fields: null, maxChanges: 7 });
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'renamed' });
    expect(await endpoint.nextChanges(1)).toMatchObject([{ kind: 'updated', changedFields: ['title'] }]);
    expect(await webhooksOf(anna)).toMatchObject([{ fields: null, maxChanges: 7, kinds: ['updated'] }]);
  });
});

describe('rights', () => {
  test('a token with READ makes, sees and changes its own webhooks alone, and they end with it', async () => {
    await makeWebhook(anna, endpoint.url);
    const [program, other] = [
      await makeProgram(service, anna, { scopes: ['READ'] }),
      await makeProgram(service, anna, { scopes: ['READ'] }),
    ];
    const { webhook } = await makeWebhook(program, endpoint.url);
    expect(webhook.client).toBe('script');
    expect(await webhooksOf(program)).toEqual([webhook]);
    expect(await webhooksOf(other)).toEqual([]);
    expect(await webhooksOf(anna)).toHaveLength(2);
    for (const send of [
      () => other.patch(`/api/v2/webhooks/${webhook.id}`, { enabled: false }),
      () => other.delete(`/api/v2/webhooks/${webhook.id}`),
      () => other.post(`/api/v2/webhooks/${webhook.id}/secret`),
      () => other.post(`/api/v2/webhooks/${webhook.id}/test`),
      () => other.get(`/api/v2/webhooks/${webhook.id}/attempts`),
    ])
      expect(await send()).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await changeWebhook(program, webhook.id, { enabled: false })).toMatchObject({ state: 'paused' });
    await anna.data('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: program.tokenId });
    expect(await webhooksOf(anna)).toHaveLength(1);
  });

  test('the spaces of the token bound its webhooks', async () => {
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    const program = await makeProgram(service, anna, { scopes: ['READ'], spaceIds: [workspace.id] });
    expect(await program.post('/api/v2/webhooks', { url: endpoint.url, spaceIds: [anna.id] })).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'spaceIds.0' }] },
    });
    await makeWebhook(program, endpoint.url);
    await makeTask(anna);
    const shared = await makeTask(anna, { projectId: project.id });
    expect(await endpoint.nextChanges(1)).toMatchObject([{ taskId: shared.id }]);
  });

  test('nothing is sent after the end of a membership, older changes included', async () => {
    const ben = await signUp(service);
    const workspace = await makeWorkspace(anna);
    const project = await makeProject(anna, { workspaceId: workspace.id });
    await addMember(anna, workspace.id, ben);
    endpoint.respond = (response) => response.writeHead(500).end();
    const { webhook } = await makeWebhook(ben, endpoint.url, { maxChanges: 1 });
    for (let n = 0; n < 3; n += 1) await makeTask(anna, { projectId: project.id });
    expect(await endpoint.nextChanges(1)).toHaveLength(1);
    await anna.data(
      'mutation ($id: ID!, $user: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $user) { id } }',
      {
        id: workspace.id,
        user: ben.id,
      },
    );
    endpoint.respond = (response) => response.end();
    await service.sql('UPDATE webhooks SET next_at = now() WHERE id = $1', [webhook.id]);
    const own = await makeTask(ben);
    expect(await endpoint.nextChanges(1)).toMatchObject([{ taskId: own.id }]);
    await untilIdle(service, webhook.id);
    expect(endpoint.all).toHaveLength(2);
  });
});
