import { once } from 'node:events';
import { connect, type Socket as Connection } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { databaseLimits } from '@taskgate/postgres';
import { makeTask } from '../kit/make.ts';
import { type CapturedLog, captureLog, levels } from '../kit/log-lines.ts';
import { withMetrics } from '../kit/metrics.ts';
import { spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { closeOf, nextConnection } from '../kit/sockets.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from '../changes/sse.ts';
import { Socket } from '../changes/stream.ts';

let service: Service;
let anna: User;
let captured: CapturedLog;
beforeAll(async () => {
  service = await startService({ ...withMetrics, LOG_LEVEL: 'debug' });
  anna = await signUp(service);
});
afterAll(() => service.close());
beforeEach(() => {
  captured = captureLog();
});
afterEach(() => captured.release());

const requests = () => captured.lines.filter(({ msg }) => msg === 'request');

describe('the line of a request', () => {
  test('counts the bytes of its own response, even if the next one of the connection follows at once', async () => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1').resume();
    const requestText = (path: string, connection: string) =>
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`;
    socket.write(requestText('/healthz', 'keep-alive') + requestText('/api/openapi.json', 'close'));
    await once(socket, 'close');
    const [first, second] = [
      await captured.line({ route: '/healthz' }),
      await captured.line({ route: '/api/openapi.json' }),
    ];
    expect(first['bytes']).toBeLessThan(2_000);
    expect(second['bytes']).toBeGreaterThan(20_000);
  });

  test('has method, route, status, milliseconds, bytes and user, and no content of the request', async () => {
    const { id } = await makeTask(anna);
    const createLine = await captured.line({ method: 'POST', route: '/api/v2/todo' });
    expect(createLine).toMatchObject({
      level: levels.info,
      requestId: expect.any(String),
      status: 201,
      ms: expect.any(Number),
      userId: anna.id,
    });
    const headers = { 'X-Request-Id': 'mine' };
    await anna.get('/api/v2/todo/search?q=secret-words', { headers });
    expect(await captured.line({ requestId: 'mine' })).toMatchObject({ route: '/api/v2/todo/search', status: 200 });
    await anna.delete(`/api/v2/todo/${id}`);
    const deleted = await captured.line({ method: 'DELETE' });
    expect(deleted).toMatchObject({ route: '/api/v2/todo/:id', status: 200 });
    expect(deleted['bytes']).toBeGreaterThan(100);
    await anna.get(`/api/v2/nowhere/${id}?q=secret-words`);
    expect(await captured.line({ status: 404 })).toMatchObject({ route: '/api/v2' });
    await service.anonymous.get('/anna@example.com');
    expect(await captured.line({ route: 'unknown' })).toMatchObject({ status: 404 });
    await service.anonymous.post('/api/v1/user/signin', { email: anna.email, password: 'wrong password' });
    await captured.line({ route: '/api/v1/user/signin' });
    const all = JSON.stringify(requests());
    for (const secret of [id, 'secret-words', '127.0.0.1', anna.email, 'wrong password', 'example.com']) {
      expect(all).not.toContain(secret);
    }
    expect(requests()).toHaveLength(6);
  });

  test('names the operation of GraphQL', async () => {
    await anna.graphql('query Whoami { viewer { id } }');
    expect(await captured.line({ route: '/graphql' })).toMatchObject({
      operation: { type: 'query', name: 'Whoami' },
      status: 200,
      userId: anna.id,
    });
    captured.lines.length = 0;
    await anna.graphql('mutation { createTask(input: { title: "not logged" }) { id } }');
    expect(await captured.line({ route: '/graphql' })).toMatchObject({ operation: { type: 'mutation' } });
    expect(JSON.stringify(requests())).not.toContain('not logged');
  });

  test('is also written for an operation over WebSocket, and for a subscription at its end', async () => {
    const socket = await Socket.ready(service.url, anna.cookie);
    await socket.run('query Whoami { viewer { id } }');
    expect(await captured.line({ msg: 'operation' })).toMatchObject({
      level: levels.info,
      requestId: expect.any(String),
      operation: { type: 'query', name: 'Whoami' },
      ms: expect.any(Number),
      userId: anna.id,
    });
    captured.lines.length = 0;
    const query = 'subscription Follow { taskChanges { taskId } }';
    socket.send({ type: 'subscribe', id: '1', payload: { query } });
    await socket.run('{ viewer { id } }');
    socket.close();
    const line = await new Promise<unknown>((resolve) => {
      const check = () => {
        const found = captured.lines.find(({ operation }) => (operation as { name?: string }).name === 'Follow');
        if (found) resolve(found);
        else setImmediate(check);
      };
      check();
    });
    expect(line).toMatchObject({ operation: { type: 'subscription', name: 'Follow' }, userId: anna.id });
  });

  test('has the level debug for probes and metrics', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      await service.anonymous.get(path);
      expect(await captured.line({ route: path })).toMatchObject({ level: levels.debug, status: 200 });
    }
  });
});

describe('a client that hangs up', () => {
  const post = (path: string, type: string, headers = '') =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\nContent-Type: ${type}\r\n${headers}\r\n`;
  const get = (path: string) =>
    `GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\nAccept: */*\r\nx-graphql-yoga-csrf: 1\r\n\r\n`;
  const form = 'multipart/form-data; boundary=b';
  const file =
    '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx';
  const length = 'Content-Length: 100000\r\nx-graphql-yoga-csrf: 1\r\n';
  const csrf = encodeURIComponent('subscription { taskChanges { taskId } }');

  const hangUps: [string, () => string, 'answered' | 'asked'][] = [
    ['in the middle of a body of JSON', () => `${post('/api/v2/todo', 'application/json', length)}{"ti`, 'asked'],
    ['in the middle of an operation', () => `${post('/graphql', 'application/json', length)}{"qu`, 'asked'],
    ['in the middle of an upload', () => post('/api/v1/user/profile', form, length) + file, 'asked'],
    ['in the middle of an upload to /graphql', () => post('/graphql', form, length) + file, 'asked'],
    ['in the middle of a file', () => get('/docs/assets/swagger-ui-bundle.js'), 'answered'],
    ['in the middle of a stream of events', () => get('/api/v2/events'), 'answered'],
    [
      'in the middle of a subscription',
      () => get(`/graphql?query=${csrf}`).replace('*/*', 'text/event-stream'),
      'answered',
    ],
  ];

  async function hangUp(text: string, when: 'answered' | 'asked', how: (client: Connection) => void): Promise<void> {
    const serverSocket = nextConnection();
    const { hostname, port } = new URL(service.url);
    const client = connect(Number(port), hostname).on('error', () => undefined);
    const peer = await serverSocket;
    client.write(text);
    if (when === 'answered') await once(client, 'data');
    else for (let round = 0; round < 5; round += 1) await service.anonymous.get('/healthz');
    const closed = closeOf(peer);
    how(client);
    await closed;
  }

  /** Watches the timers that expire, or keep the process running, except the pool's. */
  function watchTimers() {
    const timeout = globalThis.setTimeout;
    const remainingTimers = new Set<NodeJS.Timeout>();
    const expired: number[] = [];
    jest.spyOn(globalThis, 'setTimeout').mockImplementation((run: () => void, ms = 0) => {
      const timer = timeout(() => {
        remainingTimers.delete(timer);
        if (ms >= 1000) expired.push(ms);
        run();
      }, ms);
      if (ms !== databaseLimits.idleMs) remainingTimers.add(timer);
      return timer;
    });
    const clear = globalThis.clearTimeout;
    jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
      remainingTimers.delete(timer as NodeJS.Timeout);
      clear(timer);
    });
    return { expired, left: () => [...remainingTimers].filter((timer) => timer.hasRef()) };
  }
  afterEach(() => void jest.restoreAllMocks());

  test.each(hangUps)('%s causes no error, and nothing waits for it', async (_name, text, when) => {
    const timers = watchTimers();
    for (const how of ['resetAndDestroy', 'destroy'] as const) {
      captured.lines.length = 0;
      await hangUp(text(), when, (client) => void client[how]());
      expect(await captured.line({ aborted: true })).toMatchObject({ level: levels.info });
    }
    for (let round = 0; round < 5; round += 1) await service.anonymous.get('/healthz');
    expect(captured.lines.filter(({ level }) => level >= levels.warn)).toEqual([]);
    expect(captured.lines.filter(({ aborted }) => aborted)).toHaveLength(1);
    expect(JSON.stringify(captured.lines)).not.toContain('stack');
    await until('no timer is left', () => timers.left().length === 0);
    expect(timers.expired).toEqual([]);
  });

  test('in the middle of a WebSocket message or of responses causes no error', async () => {
    for (const part of ['whole', 'half']) {
      const serverSocket = nextConnection();
      const { socket } = await Socket.ready(service.url, anna.cookie);
      const closed = closeOf(await serverSocket);
      const payload = { query: 'subscription { taskChanges { taskId } }' };
      socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload }));
      socket.send(JSON.stringify({ type: 'subscribe', id: '2', payload: { query: '{ tasks { nodes { title } } }' } }));
      if (part === 'half') socket.send('{"type": "ping"', { fin: false });
      for (let round = 0; round < 5; round += 1) await service.anonymous.get('/healthz');
      socket.terminate();
      await closed;
    }
    const stream = await EventStream.open(service, anna, '/api/v2/events');
    stream.close();
    await captured.line({ route: '/api/v2/events' });
    expect(captured.lines.filter(({ level }) => level >= levels.warn)).toEqual([]);
  });
});

test('lines are written in order, and all of them before the process ends', async () => {
  const child = await spawnService(service.variables);
  const count = 50;
  for (let index = 0; index < count; index += 1) {
    await fetch(`${child.url}/api/v1/auth-check`, { headers: { 'X-Request-Id': `request-${index}` } });
  }
  child.signal('SIGTERM');
  expect(await child.ended).toBe(0);
  expect([...child.errors().matchAll(/"requestId":"request-(\d+)"/g)].map(([, index]) => Number(index))).toEqual(
    Array.from({ length: count }, (_, index) => index),
  );
  expect(child.output()).toMatch(/^Taskgate ready at \S+\n$/);
});
