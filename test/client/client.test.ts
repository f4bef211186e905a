import { beforeAll, describe, expect, test } from '@jest/globals';
import { initGraphQLTada } from 'gql.tada';
import WebSocketOfPackage from 'ws';
import { createClient, TaskgateError } from 'taskgate-client';
import type { introspection } from '../../rest/schema-types.d.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { makeTask } from '../kit/make.ts';
import { randomName } from '../kit/random.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { signUp, type User } from '../kit/users.ts';
import { clientAs, fetchAs, webSocketAs } from './kit.ts';

const graphql = initGraphQLTada<{ introspection: introspection; scalars: { DateTime: string; Date: string } }>();

const errorOf = (promise: Promise<unknown>): Promise<TaskgateError> =>
  promise.then(
    () => {
      throw new Error('it was expected to reject');
    },
    (error: unknown) => error as TaskgateError,
  );

function createFaulty(caller: User, ...faults: (() => Response)[]) {
  const sent: string[] = [];
  const faultyFetch: typeof fetch = async (input, init) => {
    sent.push(new Headers(init?.headers).get('Idempotency-Key') ?? '');
    const response = await fetchAs(caller)(input, init);
    const fault = faults.shift();
    return fault ? fault() : response;
  };
  return { fetch: faultyFetch, sent };
}
const loseResponse = (): Response => {
  throw new TypeError('fetch failed');
};

describe('createClient()', () => {
  let service: Service;
  let anna: User;
  beforeAll(async () => {
    service = await sharedService();
    anna = await signUp(service);
  });

  describe('rest', () => {
    test('returns the typed response for path, parameters, query and body', async () => {
      const { rest } = clientAs(service, anna);
      const title = randomName('task');
      const { todo } = await rest.post('/api/v2/todo', { body: { title } });
      const changed = await rest.patch('/api/v2/todo/{id}', { params: { id: todo.id }, body: { completed: true } });
      const { todos } = await rest.get('/api/v2/todo', { query: { completed: true } });
      expect(changed.todo).toMatchObject({ id: todo.id, title, completed: true });
      expect(todos.map(({ id }) => id)).toContain(todo.id);
    });

    test('sends a form', async () => {
      const { rest } = clientAs(service, anna);
      const body = new FormData();
      body.set('name', 'Anna');
      await rest.post('/api/v1/user/profile', { body });
      expect((await rest.get('/api/v1/user/profile')).user.name).toBe('Anna');
    });

    test('rejects with code, status and fields', async () => {
      const { rest } = clientAs(service, anna);
      const error = await errorOf(rest.post('/api/v2/todo', { body: { title: '' } }));
      expect(error).toBeInstanceOf(TaskgateError);
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED', status: 400, errors: [{ path: 'title' }] });
      const [unknown, signedOut] = await Promise.all([
        errorOf(rest.delete('/api/v2/todo/{id}', { params: { id: 'task_none' } })),
        errorOf(createClient({ url: service.url }).rest.get('/api/v2/todo')),
      ]);
      expect(unknown).toMatchObject({ code: 'NOT_FOUND', status: 404 });
      expect(signedOut).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    });
  });

  test.each([
    { code: 503, message: 'Bad gateway' },
    { errors: 'There is nobody' },
    { errors: [{ extensions: { code: 7 } }] },
    [],
    null,
  ])('does not treat the response of a proxy as a refusal of the service: %j', async (body) => {
    const { fetch } = createFaulty(anna, () => Response.json(body, { status: 418 }));
    const { rest } = createClient({ url: service.url, fetch });
    const error = await errorOf(
      rest.post('/api/v2/todo', { body: { title: 'Milk' }, idempotencyKey: randomName('key') }),
    );
    expect(error).toMatchObject({ code: 'UNEXPECTED_RESPONSE', status: 418, errors: [] });
  });

  test.each(['', '.', '..'])('refuses an id that leads to another path: %j', async (id) => {
    const { rest } = clientAs(service, anna);
    await expect(rest.delete('/api/v2/todo/{id}', { params: { id } })).rejects.toThrow(TypeError);
  });

  describe('graphql()', () => {
    test('runs documents of gql.tada with fragments, and returns their typed result', async () => {
      const client = clientAs(service, anna);
      const task = await makeTask(anna);
      const Title = graphql('fragment Title on Task @_unmask { id title }');
      const TaskQuery = graphql('query Task($id: ID!) { task(id: $id) { ...Title completed } }', [Title]);
      const data = await client.graphql(TaskQuery, { id: task.id });
      const title: string | undefined = data.task?.title;
      expect(title).toBe(task.title);
      expect(data).toEqual({ task: { id: task.id, title: task.title, completed: false } });
    });

    test('runs text', async () => {
      const { viewer } = await clientAs(service, anna).graphql<{ viewer: { id: string } }>('{ viewer { id } }');
      expect(viewer.id).toBe(anna.id);
    });

    test('rejects with the code and the fields of the first error', async () => {
      const client = clientAs(service, anna);
      const create = 'mutation ($input: CreateTaskInput!) { createTask(input: $input) { id } }';
      expect(await errorOf(client.graphql(create, { input: { title: '' } }))).toMatchObject({
        code: 'VALIDATION_FAILED',
        errors: [{ path: 'input.title' }],
      });
      expect(await errorOf(client.graphql('{ nothing }'))).toMatchObject({ code: 'VALIDATION_FAILED', status: 400 });
    });
  });

  describe('a request without a response', () => {
    test('is sent again if it is a read', async () => {
      const user = await signUp(service);
      const { fetch, sent } = createFaulty(user, loseResponse, () => new Response('<html>', { status: 502 }));
      const { tags } = await clientAs(service, user, { fetch }).rest.get('/api/v2/tag');
      expect(tags).toEqual([]);
      expect(sent).toHaveLength(3);
    });

    test('is sent again if it has an idempotency key, and happens once', async () => {
      const { fetch, sent } = createFaulty(anna, loseResponse);
      const title = randomName('task');
      const client = clientAs(service, anna, { fetch });
      await client.rest.post('/api/v2/todo', { body: { title }, idempotencyKey: title });
      expect(sent).toEqual([title, title]);
      expect(await service.sql('SELECT FROM tasks WHERE title = $1', [title])).toHaveLength(1);
    });

    test('is not sent again if it is a write or a mutation without a key', async () => {
      const { fetch, sent } = createFaulty(anna, loseResponse, loseResponse);
      const client = clientAs(service, anna, { fetch });
      const post = client.rest.post('/api/v2/tag', { body: { name: randomName('tag') } });
      expect(await errorOf(post)).toMatchObject({ code: 'NETWORK_ERROR' });
      const mutation = client.graphql('mutation { createTag(name: "x") { id } }');
      expect(await errorOf(mutation)).toMatchObject({ code: 'NETWORK_ERROR' });
      expect(sent).toHaveLength(2);
    });

    test('is given up after a number of attempts', async () => {
      const { fetch, sent } = createFaulty(anna, loseResponse, loseResponse, loseResponse);
      const { rest } = clientAs(service, anna, { fetch, maxAttempts: 2 });
      expect(await errorOf(rest.get('/api/v2/tag'))).toMatchObject({ code: 'NETWORK_ERROR' });
      expect(sent).toHaveLength(2);
    });
  });

  describe('a request with a temporary refusal', () => {
    const refuse = (retryAfter: string) => () =>
      Response.json({ message: 'Later', code: 'UNAVAILABLE' }, { status: 503, headers: { 'Retry-After': retryAfter } });

    test('is sent again after Retry-After', async () => {
      const { fetch, sent } = createFaulty(anna, refuse('1'));
      await clientAs(service, anna, { fetch }).rest.get('/api/v2/tag');
      expect(sent).toHaveLength(2);
    });

    test('rejects at once if Retry-After is long', async () => {
      const { fetch, sent } = createFaulty(anna, refuse('900'));
      const error = await errorOf(clientAs(service, anna, { fetch }).rest.get('/api/v2/tag'));
      expect(error).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfter: 900 });
      expect(sent).toHaveLength(1);
    });

    test('rejects with the reason of its signal during the wait', async () => {
      const stop = new AbortController();
      const { fetch } = createFaulty(anna, () => {
        queueMicrotask(() => stop.abort(new Error('enough')));
        return refuse('20')();
      });
      const { rest } = clientAs(service, anna, { fetch });
      expect(await errorOf(rest.get('/api/v2/tag', { signal: stop.signal }))).toMatchObject({ message: 'enough' });
    });
  });

  test('subscribe() uses the option `fetch` if it is alone, because the global WebSocket lacks its cookie', async () => {
    const { WebSocket } = globalThis;
    globalThis.WebSocket = WebSocketOfPackage as unknown as typeof WebSocket;
    try {
      const client = createClient({ url: service.url, fetch: fetchAs(anna) });
      const events = client.subscribe('subscription { sync { full } }');
      expect(await events.next()).toEqual({ done: false, value: { sync: { full: true } } });
      await events.return();
    } finally {
      globalThis.WebSocket = WebSocket;
    }
  });

  test('subscribe() closes a socket that is still opening when its last subscription ends', async () => {
    const proxy = await FaultProxy.open(service.url);
    await proxy.set({ mode: 'blackhole' });
    const closed: unknown[] = [];
    const webSocket = class extends webSocketAs(anna) {
      override close(code?: number) {
        closed.push(code);
        super.close(code);
      }
    };
    const client = clientAs({ url: new URL(proxy.url).origin }, anna, { webSocket });
    const [first, second] = [new AbortController(), new AbortController()];
    const activity = proxy.nextActivity();
    const stopped = [first, second, second].map(({ signal }) =>
      errorOf(client.subscribe('subscription { sync { full } }', {}, { signal }).next()),
    );
    await activity;
    first.abort(new Error('enough'));
    expect(await stopped[0]).toMatchObject({ message: 'enough' });
    expect(closed).toEqual([]);
    second.abort(new Error('enough'));
    expect(closed).toEqual([4499]);
    expect(await Promise.all(stopped)).toEqual(Array(3).fill(expect.objectContaining({ message: 'enough' })));
    client.close();
    await proxy.close();
  });

  describe.each([
    ['a WebSocket', {}],
    ['Server-Sent Events', { webSocket: null }],
  ])('subscribe() over %s', (_name, options) => {
    const TaskChanges = graphql('subscription { taskChanges { kind taskId task { title } } }');

    test('returns each event until it is stopped', async () => {
      const client = clientAs(service, anna, options);
      const events = client.subscribe(
        graphql('subscription ($after: String) { sync(after: $after) { full tasks { title } } }'),
        {},
      );
      expect((await events.next()).value).toMatchObject({ sync: { full: true } });
      const task = await makeTask(anna);
      expect((await events.next()).value).toEqual({ sync: { full: false, tasks: [{ title: task.title }] } });
      expect(await events.return()).toMatchObject({ done: true });
      client.close();
    });

    test('returns events with any character', async () => {
      const client = clientAs(service, anna, options);
      const events = client.subscribe(graphql('subscription { sync { tasks { description } } }'), {});
      await events.next();
      const description = 'a\u2028b\u2029c\u0085d\ufeff: e\r\nf\n\ng';
      const task = await makeTask(anna, { description });
      expect((await events.next()).value).toEqual({ sync: { tasks: [{ description: task.description }] } });
      await events.return();
      client.close();
    });

    test('rejects with the code of the service', async () => {
      const client = clientAs(service, anna, options);
      const after = client.subscribe('subscription { sync(after: "x") { cursor } }');
      expect(await errorOf(after.next())).toMatchObject({ code: 'CURSOR_EXPIRED' });
      const signedOut = clientAs(service, {}, options);
      expect(await errorOf(signedOut.subscribe(TaskChanges).next())).toMatchObject({ code: 'UNAUTHENTICATED' });
      client.close();
      signedOut.close();
    });

    test('ends with the reason of its signal', async () => {
      const client = clientAs(service, anna, options);
      const stop = new AbortController();
      const events = client.subscribe('subscription { sync { full } }', {}, { signal: stop.signal });
      await events.next();
      const next = errorOf(events.next());
      stop.abort(new Error('enough'));
      expect(await next).toMatchObject({ message: 'enough' });
      client.close();
    });

    test('ends with the reason of its signal before the service responds, and does not delay the next one', async () => {
      const proxy = await FaultProxy.open(service.url);
      await proxy.set({ mode: 'blackhole' });
      const client = clientAs({ url: new URL(proxy.url).origin }, anna, options);
      const stop = new AbortController();
      const activity = proxy.nextActivity();
      const next = errorOf(client.subscribe('subscription { sync { full } }', {}, { signal: stop.signal }).next());
      await activity;
      stop.abort(new Error('enough'));
      expect(await next).toMatchObject({ message: 'enough' });
      await proxy.set({ mode: 'ok' });
      const events = client.subscribe('subscription { sync { full } }');
      expect(await events.next()).toEqual({ done: false, value: { sync: { full: true } } });
      await events.return();
      client.close();
      await proxy.close();
    });
  });
});
