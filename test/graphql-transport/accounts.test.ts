import { beforeAll, describe, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { keysOf, newKey, titlesOf } from '../idempotency/keyed.ts';
import { makeProgram } from '../kit/program.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';

const create = 'mutation ($title: String!) { createTask(input: { title: $title }) { title } }';
const read = '{ viewer { id } }';
const sync = '{ sync { user { id } } }';
const syncStream = 'subscription { sync { user { id } } }';
const eventStream = { Accept: 'text/event-stream' };
const csrf = { 'x-graphql-yoga-csrf': '1' };

const errorWith = (code: string) => ({ errors: [{ extensions: { code } }] });
const malformed = {
  errors: [{ extensions: { code: 'VALIDATION_FAILED', errors: [{ path: 'extensions.account' }] } }],
};

const firstResult = (body: unknown): unknown => JSON.parse(/^event: next\ndata: (.*)$/m.exec(String(body))?.[1] ?? '');

describe('an operation that names its account', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  beforeAll(async () => {
    service = await sharedService();
    [anna, bert] = [await signUp(service), await signUp(service)];
  });

  const operation = (query: string, account: unknown, others: object = {}) => ({
    query,
    variables: { title: 'milk' },
    extensions: { account, ...others },
  });
  const withSocket = async <Result>(user: User, work: (socket: Socket) => Promise<Result>) => {
    const socket = await Socket.ready(service.url, user.cookie);
    return work(socket).finally(() => socket.close());
  };
  const sendOver = {
    'a POST': async (user: User, { query, variables, extensions }: ReturnType<typeof operation>) =>
      (await user.post('/graphql', { query, variables, extensions })).body,
    'a POST of a list': async (user: User, each: ReturnType<typeof operation>) => {
      const { body } = await user.post('/graphql', [each]);
      return Array.isArray(body) ? (body[0] as unknown) : body;
    },
    'Server-Sent Events': async (user: User, each: ReturnType<typeof operation>) =>
      firstResult((await user.post('/graphql', each, { headers: eventStream })).body),
    WebSocket: (user: User, { query, variables, extensions }: ReturnType<typeof operation>) =>
      withSocket(user, async (own) => {
        const { type, payload } = await own.run(query, variables, extensions);
        return type === 'error' ? { errors: payload } : payload;
      }),
  };
  const transports = Object.keys(sendOver) as (keyof typeof sendOver)[];

  describe.each(transports)('over %s', (transport) => {
    const send = sendOver[transport];

    test('runs if the session is of that account', async () => {
      const user = await signUp(service);
      const created = await send(user, operation(create, user.id, { idempotencyKey: newKey() }));
      expect(created).toMatchObject({ data: { createTask: { title: 'milk' } } });
      expect(await send(user, operation(sync, user.id))).toMatchObject({ data: { sync: { user: { id: user.id } } } });
      expect(await titlesOf(service, user)).toEqual(['milk']);
    });

    test.each([create, read, sync])('is refused if the session is of another account: %s', async (query) => {
      const key = newKey();
      const sent = () => send(bert, operation(query, anna.id, { idempotencyKey: key }));
      expect(await sent()).toMatchObject(errorWith('UNAUTHENTICATED'));
      expect(await sent()).not.toHaveProperty('data');
      expect([await titlesOf(service, bert), await keysOf(service, bert)]).toEqual([[], []]);
    });

    test.each([null, '', 7, 'anna', 'task_01h2xcejqtf2nbrexx3vqjhp41', [], {}])(
      'is refused for an invalid account: %j',
      async (account) => {
        expect(await send(bert, operation(create, account))).toMatchObject(malformed);
        expect(await titlesOf(service, bert)).toEqual([]);
      },
    );
  });

  test('has the status 401, or 400 for an invalid account, with either media type', async () => {
    for (const Accept of ['application/json', 'application/graphql-response+json']) {
      const statusOf = async (account: unknown) =>
        (await bert.post('/graphql', operation(read, account), { headers: { Accept } })).status;
      expect([await statusOf(anna.id), await statusOf('anna'), await statusOf(bert.id)]).toEqual([401, 400, 200]);
    }
  });

  test('is refused without a session', async () => {
    const { status, body } = await service.anonymous.post('/graphql', operation(read, anna.id));
    expect([status, body]).toMatchObject([401, errorWith('UNAUTHENTICATED')]);
  });

  test('is refused before its document is read, also over GET', async () => {
    expect(await bert.graphql(read)).toMatchObject({ data: { viewer: { id: bert.id } } });
    const { result, own } = await recordStatements(() => bert.post('/graphql', operation('{ nothing }', anna.id)));
    expect(result).toMatchObject({ status: 401 });
    expect(own).toEqual([]);
    const extensions = encodeURIComponent(JSON.stringify({ account: anna.id }));
    const path = `/graphql?query=${encodeURIComponent(read)}&extensions=${extensions}`;
    expect((await bert.get(path, { headers: csrf })).status).toBe(401);
    expect((await anna.get(path, { headers: csrf })).body).toEqual({ data: { viewer: { id: anna.id } } });
    expect((await bert.get(path, { headers: csrf })).status).toBe(401);
  });

  test('makes the service refuse all operations of its request, also earlier ones', async () => {
    const batch = [operation(create, bert.id), { query: create, variables: { title: 'bread' } }];
    for (const [account, status] of [
      [anna.id, 401],
      ['anna', 400],
    ] as const) {
      const { body, ...answer } = await bert.post('/graphql', [...batch, operation(create, account)]);
      expect(answer).toMatchObject({ status });
      expect(body).not.toHaveProperty('length');
    }
    expect(await titlesOf(service, bert)).toEqual([]);
  });

  test('gets no stored response of another account, and leaves the key free', async () => {
    const [first, second, key] = [await signUp(service), await signUp(service), newKey()];
    const mutation = (account: string) => operation(create, account, { idempotencyKey: key });
    expect(await second.post('/graphql', mutation(second.id))).toMatchObject({ status: 200 });
    // A replayed response, too, belongs to the account of the session.
    expect(await second.post('/graphql', mutation(first.id))).toMatchObject({ status: 401 });
    expect(await first.post('/graphql', mutation(first.id))).toMatchObject({ status: 200 });
    expect([await titlesOf(service, first), await titlesOf(service, second)]).toEqual([['milk'], ['milk']]);
  });

  test('is also checked with an access token', async () => {
    const program = await makeProgram(service, bert);
    expect(await program.post('/graphql', operation(read, anna.id))).toMatchObject({ status: 401 });
    expect(await program.post('/graphql', operation(read, bert.id))).toMatchObject({ status: 200 });
  });

  test('does not continue as an account that it signs in itself', async () => {
    const [user, other] = [await signUp(service), await signUp(service)];
    const query = `mutation ($email: String!, $password: String!) {
      signIn(email: $email, password: $password) { id }
      createWorkspace(name: "Team") { id }
      createTask(input: { title: "milk" }) { id }
    }`;
    const { email, password } = other;
    const { body } = await user.post('/graphql', {
      query,
      variables: { email, password },
      extensions: { account: user.id },
    });
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
    expect(await titlesOf(service, other)).toEqual([]);
    expect(await service.sql('SELECT FROM memberships WHERE user_id = $1', [other.id])).toHaveLength(1);
  });

  describe('a subscription', () => {
    test('over WebSocket is refused if the socket belongs to another account, without other effects on the socket', async () => {
      await withSocket(bert, async (own) => {
        expect(await own.run(syncStream, {}, { account: anna.id })).toMatchObject({
          type: 'error',
          payload: [{ extensions: { code: 'UNAUTHENTICATED' } }],
        });
        own.send({ type: 'subscribe', id: '1', payload: { query: syncStream, extensions: { account: bert.id } } });
        expect(await own.messages.take()).toMatchObject({ payload: { data: { sync: { user: { id: bert.id } } } } });
      });
    });

    test('over Server-Sent Events sends nothing of another account', async () => {
      const { status, body } = await bert.post('/graphql', operation(syncStream, anna.id), { headers: eventStream });
      expect([status, firstResult(body)]).toMatchObject([401, errorWith('UNAUTHENTICATED')]);
    });
  });
});

describe('a request over REST that names its account', () => {
  let service: Service;
  let [anna, bert] = [] as unknown as [User, User];
  beforeAll(async () => {
    service = await sharedService();
    [anna, bert] = [await signUp(service), await signUp(service)];
  });

  const withAccountHeader = (account: string, others: Record<string, string> = {}) => ({
    headers: { 'X-Account-Id': account, ...others },
  });

  test('writes only as that account', async () => {
    const key = { 'Idempotency-Key': newKey() };
    const todo = { title: 'milk' };
    expect(await bert.post('/api/v2/todo', todo, withAccountHeader(anna.id, key))).toMatchObject({
      status: 401,
      body: { code: 'UNAUTHENTICATED' },
    });
    expect(await bert.post('/api/v2/todo', todo, withAccountHeader('anna', key))).toMatchObject({
      status: 400,
      body: { code: 'VALIDATION_FAILED', errors: [{ path: 'X-Account-Id' }] },
    });
    expect([await titlesOf(service, bert), await keysOf(service, bert)]).toEqual([[], []]);
    expect((await bert.post('/api/v2/todo', todo, withAccountHeader(bert.id, key))).status).toBe(201);
  });

  test.each(['/api/v2/todo', '/api/v2/sync', '/api/v2/export', '/api/v2/events', '/api/v1/user/profile'])(
    'reads only as that account, by header and by query: GET %s',
    async (path) => {
      const headers = path.endsWith('events') ? eventStream : {};
      const statusOf = async (options: object, query = '') => (await bert.get(`${path}${query}`, options)).status;
      // The response is cached, and the client holds it.
      const [cached, etag] = path.endsWith('events')
        ? [200, '"none"']
        : await bert.get(path).then((answer) => [answer.status, answer.headers.get('etag') ?? '"none"'] as const);
      expect(cached).toBe(200);
      expect(await statusOf(withAccountHeader(anna.id, { ...headers, 'If-None-Match': etag }))).toBe(401);
      expect(await statusOf({ headers }, `?account=${anna.id}`)).toBe(401);
      expect(await statusOf({ headers }, '?account=anna')).toBe(400);
      for (const query of [`?x=a?b&account=${anna.id}`, `?account[]=${anna.id}`, `?acc%6Funt=${anna.id}`])
        expect(await statusOf({ headers }, query)).toBe(401);
      expect(await statusOf({ headers }, `?account=${bert.id}&account=${anna.id}`)).toBe(401);
      if (!path.endsWith('events')) expect(await statusOf(withAccountHeader(bert.id), `?account=${bert.id}`)).toBe(200);
    },
  );

  test('streams `sync` only of that account', async () => {
    const path = (account: string) => `/api/v2/sync?account=${account}`;
    expect((await bert.get(path(anna.id), { headers: eventStream })).status).toBe(401);
    const stop = new AbortController();
    const response = await fetch(`${service.url}${path(bert.id)}`, {
      headers: { Cookie: bert.cookie ?? '', ...eventStream },
      signal: stop.signal,
    });
    expect(response.status).toBe(200);
    stop.abort();
  });

  test('keeps the order of errors if a parameter is malformed', async () => {
    const { body } = await anna.post('/api/v2/todo', { title: 'hers' });
    const history = (query: string) => bert.get(`/api/v2/todo/${(body as { id: string }).id}/history?${query}`);
    for (const malformed of ['after=a%00b', 'after=%ff'])
      expect(await history(malformed)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect((await history(`after=a%00b&account=${anna.id}`)).status).toBe(401);
  });

  test('is refused over GraphQL as well', async () => {
    expect((await bert.post('/graphql', { query: read }, withAccountHeader(anna.id))).status).toBe(401);
    expect((await bert.post('/graphql', { query: read }, withAccountHeader(bert.id))).status).toBe(200);
  });
});
