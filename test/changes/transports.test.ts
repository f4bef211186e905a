import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Socket, Stream } from './stream.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService({ CORS_ORIGINS: 'https://app.example.com' });
  anna = await signUp(service);
});
afterAll(() => service.close());

const subscribe = (id: string, query = 'subscription { taskChanges { taskId } }', variables = {}) => ({
  type: 'subscribe',
  id,
  payload: { query, variables },
});

describe('WebSocket at /graphql', () => {
  test('runs queries and mutations, each with the viewer at that moment', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    expect(await socket.run('{ viewer { id } }')).toMatchObject({
      type: 'next',
      payload: { data: { viewer: { id: anna.id } } },
    });
    const made = await socket.run('mutation { createTask(input: { title: "Over the socket" }) { title } }');
    expect(made.payload).toMatchObject({ data: { createTask: { title: 'Over the socket' } } });
    const name = await socket.run('mutation { createWorkspace(name: "New") { name } }');
    expect(name.payload).toMatchObject({ data: { createWorkspace: { name: 'New' } } });
    expect(await socket.run('{ workspaces { name } }')).toMatchObject({
      payload: { data: { workspaces: [{ name: 'New' }] } },
    });
    socket.close();
  });

  test.each(['signIn(email: "a@example.com", password: "x") { id }', 'signOut'])(
    'refuses %s, because it cannot set the cookie',
    async (field) => {
      const socket = await Socket.ready(service.url, anna.cookie);
      expect(await socket.run(`mutation { ${field} }`)).toMatchObject({
        type: 'error',
        payload: [{ extensions: { code: 'FORBIDDEN' } }],
      });
      expect(await socket.run('{ viewer { id } }')).toMatchObject({ type: 'next' });
      socket.close();
    },
  );

  test('refuses the same in fragments', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    const answer = await socket.run('mutation { ...F } fragment F on Mutation { ... { out: signOut } }');
    expect(answer).toMatchObject({ type: 'error', payload: [{ extensions: { code: 'FORBIDDEN' } }] });
    socket.close();
  });

  test('applies the limits of HTTP to documents', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    const deepQuery = `{ tasks { nodes ${'{ parent '.repeat(40)}{ id }${' }'.repeat(40)} } }`;
    expect(await socket.run(deepQuery)).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    expect(await socket.run('{ nonsense }')).toMatchObject({
      type: 'error',
      payload: [{ extensions: { code: 'VALIDATION_FAILED' } }],
    });
    socket.close();
  });

  test("sends a resolver's refusal as a result with errors, then completes", async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    const document = 'subscription ($after: String) { taskChanges(after: $after) { taskId } }';
    socket.send(subscribe('refused', document, { after: 'garbage' }));
    expect(await socket.messages.take()).toMatchObject({
      type: 'next',
      payload: { errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] },
    });
    expect(await socket.messages.take()).toMatchObject({ type: 'complete', id: 'refused' });
    expect(await socket.run('{ project(id: "nothing") { id } }')).toMatchObject({ type: 'next' });
    socket.close();
  });

  test('closes with 4401 without a session', async () => {
    const socket = await Socket.open(service.url, undefined);
    expect(await socket.closed).toMatchObject({ code: 4401 });
    const forgedSocket = await Socket.open(service.url, 'sid=s%3Aforged.signature');
    expect(await forgedSocket.closed).toMatchObject({ code: 4401 });
  });

  test('closes with 4401 for a subscription before the handshake, with 4406 for another protocol', async () => {
    const eagerSocket = await Socket.open(service.url, anna.cookie);
    eagerSocket.send(subscribe('1'));
    expect(await eagerSocket.closed).toMatchObject({ code: 4401 });
    const old = await Socket.open(service.url, anna.cookie, { protocol: 'graphql-ws' }).catch((error: Error) => error);
    if (old instanceof Error) expect(old.message).toMatch(/subprotocol/);
    else expect(await old.closed).toMatchObject({ code: 4406 });
  });

  test('refuses pages of foreign origins, and other paths', async () => {
    const origin = (value: string) => ({ headers: { Origin: value } });
    await expect(Socket.open(service.url, anna.cookie, origin('https://evil.example.com'))).rejects.toThrow('403');
    await expect(Socket.open(service.url, anna.cookie, origin('null'))).rejects.toThrow('403');
    await expect(Socket.open(`${service.url}/other`, anna.cookie)).rejects.toThrow('404');
    for (const allowed of ['https://app.example.com', service.url]) {
      (await Socket.open(service.url, anna.cookie, origin(allowed))).close();
    }
  });

  test('answers pings and ends a subscription on complete', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'ping', payload: { at: 1 } });
    expect(await socket.messages.take()).toEqual({ type: 'pong', payload: { at: 1 } });
    socket.send(subscribe('ended'));
    socket.send(subscribe('open'));
    socket.send({ type: 'complete', id: 'ended' });
    expect(await socket.run('{ viewer { id } }')).toMatchObject({ type: 'next' });
    for (let count = 0; count < 2; count += 1) {
      const { id: taskId } = await makeTask(anna);
      const payload = { data: { taskChanges: { taskId } } };
      expect(await socket.messages.take()).toEqual({ type: 'next', id: 'open', payload });
    }
    socket.close();
  });

  test('serves 200 subscriptions on a socket and refuses more than 1,000', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    const after = await cursorOfNow(anna);
    const document = 'subscription ($after: String) { taskChanges(after: $after) { taskId } }';
    for (let id = 0; id < 200; id += 1) socket.send(subscribe(String(id), document, { after }));
    const { id } = await makeTask(anna);
    const answered = new Set<string>();
    while (answered.size < 200) {
      const message = await socket.messages.take();
      expect(message).toMatchObject({ type: 'next', payload: { data: { taskChanges: { taskId: id } } } });
      answered.add(message.id ?? '');
    }
    for (let more = 200; more <= 1000; more += 1) socket.send(subscribe(String(more)));
    expect(await socket.messages.take()).toMatchObject({
      id: '1000',
      type: 'error',
      payload: [{ extensions: { code: 'RATE_LIMITED' } }],
    });
    socket.close();
  });

  test('closes a socket that sends more than 1 MiB at once', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'ping', payload: { text: 'x'.repeat(1024 * 1024) } });
    expect(await socket.closed).toMatchObject({ code: 1009 });
  });

  test.each([
    ['garbage', 'garbage!'],
    ['JSON that is no cursor', Buffer.from('{"a":1}').toString('base64url')],
    ["a cursor without the caller's space", Buffer.from('[{"user_x":1}]').toString('base64url')],
  ])('ends with CURSOR_EXPIRED for %s', async (_name, after) => {
    const stream = await Stream.open(service, anna, { after });
    expect(await stream.ended).toBe('CURSOR_EXPIRED');
    stream.close();
    expect(await anna.get(`/api/v2/changes?after=${encodeURIComponent(after)}`)).toMatchObject({
      status: 400,
      body: { code: 'CURSOR_EXPIRED' },
    });
  });

  test('ends with CURSOR_EXPIRED for a cursor from the future', async () => {
    const after = Buffer.from(JSON.stringify([{ [anna.id]: 1e9 }])).toString('base64url');
    const stream = await Stream.open(service, anna, { after });
    expect(await stream.ended).toBe('CURSOR_EXPIRED');
    stream.close();
  });

  test('has the same error for a foreign project as for an unknown one', async () => {
    const { id: foreign } = await makeProject(await signUp(service));
    for (const projectId of [foreign, 'proj_01h455vb4pex5vsknk084sn02q', 'nonsense', '']) {
      const stream = await Stream.open(service, anna, { projectId });
      expect(await stream.ended).toBe('VALIDATION_FAILED');
      stream.close();
    }
  });
});

describe('Server-Sent Events at /graphql', () => {
  const path = (query: string) => `/graphql?query=${encodeURIComponent(query)}`;
  const csrf = { 'x-graphql-yoga-csrf': '1' };

  test('sends changes, and resumes', async () => {
    const after = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    const query = `subscription { taskChanges(after: "${after}") { kind taskId task { title } } }`;
    const stream = await EventStream.open(service, anna, path(query), csrf);
    expect(JSON.parse((await stream.take()).data ?? '')).toMatchObject({
      data: { taskChanges: { kind: 'CREATED', taskId: id } },
    });
    const next = await makeTask(anna);
    expect(JSON.parse((await stream.take()).data ?? '')).toMatchObject({
      data: { taskChanges: { kind: 'CREATED', taskId: next.id, task: { title: next.title } } },
    });
    stream.close();
  });

  test('sends UNAUTHENTICATED without a session', async () => {
    const stream = await EventStream.open(
      service,
      service.anonymous,
      path('subscription { taskChanges { taskId } }'),
      csrf,
    );
    expect(await stream.body).toContain('UNAUTHENTICATED');
  });
});

describe('GET /api/v2/changes', () => {
  test('returns the current cursor, then the changes after it', async () => {
    const now = await anna.get<{ cursor: string }>('/api/v2/changes');
    expect(now).toMatchObject({ status: 200, body: { changes: [], hasMore: false } });
    const { id, title } = await makeTask(anna);
    await anna.patch(`/api/v2/todo/${id}`, { priority: 'high' });
    await anna.delete(`/api/v2/todo/${id}`);
    const otherTask = await makeTask(anna);
    const { body } = await anna.get<{ changes: unknown[]; cursor: string; hasMore: boolean }>(
      `/api/v2/changes?after=${now.body.cursor}`,
    );
    expect(title).not.toBe('');
    expect(body).toMatchObject({
      changes: [
        { kind: 'deleted', taskId: id, changedFields: [], task: null },
        { kind: 'created', taskId: otherTask.id, task: { id: otherTask.id, tags: [], projectId: null } },
      ],
      hasMore: false,
    });
    expect(body.changes[1]).not.toHaveProperty('task.children');
    const page = await anna.get(`/api/v2/changes?after=${now.body.cursor}&limit=1`);
    expect(page.body).toMatchObject({ changes: [{ kind: 'deleted' }], hasMore: true });
  });

  test('responds with 401 without a session and 400 for a bad limit', async () => {
    expect(await service.anonymous.get('/api/v2/changes')).toMatchObject({ status: 401 });
    for (const limit of ['0', '501', 'x', '']) {
      expect(await anna.get(`/api/v2/changes?limit=${limit}`)).toMatchObject({
        status: 400,
        body: { code: 'VALIDATION_FAILED', errors: [{ path: 'limit' }] },
      });
    }
  });
});

describe('GET /api/v2/events', () => {
  test('responds with 400 to more than one cursor, like lists', async () => {
    const cursors = `after=${await cursorOfNow(anna)}&after=x`;
    const listResponse = await anna.get(`/api/v2/changes?${cursors}`);
    for (const path of ['/api/v2/events', '/api/v2/sync']) {
      const headers = { Accept: 'text/event-stream' };
      const { status, body } = await anna.get(`${path}?${cursors}`, { headers });
      expect({ status, body }).toEqual({ status: 400, body: listResponse.body });
    }
  });

  test('sends changes as they happen and resumes after the last one', async () => {
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    expect(stream.status).toBe(200);
    const { id } = await makeTask(anna, { priority: 'low' });
    const event = await stream.take();
    expect(event).toMatchObject({ event: 'task' });
    const data = JSON.parse(event.data ?? '') as { cursor: string };
    expect(data).toMatchObject({ kind: 'created', taskId: id, task: { id, priority: 'low', projectId: null } });
    expect(event.id).toBe(data.cursor);
    stream.close();
    await anna.patch(`/api/v2/todo/${id}`, { completed: true });
    const resumed = await EventStream.open(service, anna, '/api/v2/events', { 'Last-Event-ID': event.id ?? '' });
    expect(JSON.parse((await resumed.take()).data ?? '')).toMatchObject({
      kind: 'updated',
      taskId: id,
      changedFields: ['completed', 'completedAt'],
    });
    resumed.close();
  });

  test('loses nothing that happens before the first event', async () => {
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    const { id: start } = await stream.events.take();
    stream.close();
    const { id } = await makeTask(anna);
    const resumed = await EventStream.open(service, anna, '/api/v2/events', { 'Last-Event-ID': start ?? '' });
    expect(JSON.parse((await resumed.take()).data ?? '')).toMatchObject({ kind: 'created', taskId: id });
    resumed.close();
  });

  test('responds with 401 without a session, and with 400 to an invalid cursor', async () => {
    expect(await service.anonymous.get('/api/v2/events')).toMatchObject({ status: 401 });
    expect(await anna.get('/api/v2/events', { headers: { 'Last-Event-ID': 'x' } })).toMatchObject({
      status: 400,
      body: { code: 'CURSOR_EXPIRED' },
    });
  });
});
