import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Overload } from '@taskgate/work';
import { loadOf } from '../../packages/work/load.ts';
import { EventStream } from '../changes/sse.ts';
import { Socket as WebSocketClient } from '../changes/stream.ts';
import { HeldRequest } from '../kit/held-request.ts';
import { openLockHolder, type LockHolder, untilWaiting } from '../kit/locks.ts';
import { makeTask } from '../kit/make.ts';
import { nextConnection } from '../kit/sockets.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

const maxInFlight = 3;
const overload = new Overload({ maxInFlight, maxInBurst: maxInFlight }, () => 0);

let service: Service;
let anna: User;
let ben: User;
let lockHolder: LockHolder;
const running: Promise<unknown>[] = [];

beforeAll(async () => {
  service = await startService({ ...withMetrics, CORS_ORIGINS: 'https://app.example' }, { overload });
  [anna, ben] = [await signUp(service), await signUp(service)];
});
afterAll(() => service.close());

beforeEach(async () => {
  lockHolder = await openLockHolder(service);
  await lockHolder.sql('LOCK TABLE sections IN ACCESS EXCLUSIVE MODE');
});
afterEach(async () => {
  await lockHolder.release();
  await Promise.all(running.splice(0));
});

let requestCount = 0;
/** A query without a cached response. */
const freshQuery = () => `query Q${(requestCount += 1)} { inbox { sections { id } } }`;

const waitInDatabase = (user: User) => running.push(user.data(freshQuery()));

async function causeOverload() {
  for (const user of [anna, anna, ben]) waitInDatabase(user);
  await untilWaiting(service, maxInFlight);
}

const countRefused = async () => (await scrape(service.url)).value('taskgate_overload_refused_total') ?? 0;

describe('beyond the maximum of requests in flight', () => {
  test('further ones are refused, with the usual headers', async () => {
    await causeOverload();
    const before = await countRefused();
    const { status, headers, body } = await ben.get('/api/v2/tag', {
      headers: { 'X-Request-Id': 'mine', Origin: 'https://app.example' },
    });
    expect(status).toBe(503);
    expect(body).toEqual({ message: 'The service is overloaded: try again in a moment', code: 'UNAVAILABLE' });
    expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-request-id': 'mine',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': 'https://app.example',
    });
    expect((await service.anonymous.get('/api/v2/tag')).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await countRefused()).toBe(before + 2);
  });

  test('GraphQL requests get a GraphQL error', async () => {
    await causeOverload();
    const { status, headers, body } = await ben.post('/graphql', { query: '{ tagCount }' });
    expect(status).toBe(503);
    const retryAfter = Number(headers.get('retry-after'));
    expect(body).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE', retryAfter } }] });
  });

  test('a refused write has not happened, and its connection stays open', async () => {
    await causeOverload();
    for (const size of [10, 400_000]) {
      expect(await ben.post('/api/v2/todo', { title: 'refused', unknown: 'x'.repeat(size) })).toMatchObject({
        status: 503,
      });
    }
    await lockHolder.release();
    await Promise.all(running);
    expect(await service.sql(`SELECT FROM tasks WHERE title = 'refused'`)).toEqual([]);
    expect(await makeTask(ben, { title: 'served' })).toMatchObject({ title: 'served' });
  });

  test('probes and metrics have a response', async () => {
    await causeOverload();
    expect(await service.anonymous.get('/healthz')).toMatchObject({ status: 200 });
    expect(await service.anonymous.get('/readyz?probe')).toMatchObject({ status: 200 });
    const now = await scrape(service.url);
    expect(now.value('taskgate_requests_in_flight')).toBe(maxInFlight);
    expect(now.value('taskgate_requests_in_flight_limit')).toBe(maxInFlight);
  });

  test('operations over an open WebSocket are refused, not the socket', async () => {
    const socket = await WebSocketClient.ready(service.url, ben.cookie);
    await causeOverload();
    socket.send({ type: 'subscribe', id: '1', payload: { query: '{ tagCount }' } });
    expect(await socket.messages.take()).toMatchObject({
      type: 'error',
      id: '1',
      payload: [{ extensions: { code: 'UNAVAILABLE' } }],
    });
    await lockHolder.release();
    await Promise.all(running);
    expect(await socket.run('{ tagCount }')).toMatchObject({ payload: { data: { tagCount: 0 } } });
    socket.close();
  });

  test('further WebSockets are refused', async () => {
    await causeOverload();
    const client = connect(Number(new URL(service.url).port), '127.0.0.1');
    client.write(
      'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    );
    const [answer] = (await once(client, 'data')) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 503 [^]*\r\nRetry-After: [1-9]/);
    client.destroy();
  });
});

describe('a request is not in flight while', () => {
  test('it waits for others of its account, which do not keep other accounts out', async () => {
    for (let count = 1; count <= 20; count += 1) {
      waitInDatabase(anna);
      // One by one: all of them at once would be in flight for a moment.
      await until('the query waits', () => loadOf('queries').waiting + 2 >= count);
      await untilWaiting(service, Math.min(count, 2));
    }
    expect(overload.inFlight).toBe(2);
    expect(await ben.get('/api/v2/tag')).toMatchObject({ status: 200 });
  });

  test('its body has not arrived', async () => {
    const lockHolders = [];
    for (let count = 0; count < 5; count += 1) {
      lockHolders.push(await HeldRequest.open(service, ben, 'POST', '/api/v2/tag', { firstPart: '{' }));
    }
    await until('no request is in flight', () => overload.inFlight === 0);
    expect(await ben.get('/api/v2/tag')).toMatchObject({ status: 200 });
    for (const each of lockHolders) expect(await each.finish('')).toMatchObject({ status: 400 });
  });

  test('its client does not read a file that it has requested', async () => {
    const sockets: Socket[] = [];
    const asset = 'GET /docs/assets/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n';
    for (let count = 0; count < 5; count += 1) {
      const serverSocket = nextConnection();
      const client = connect(Number(new URL(service.url).port), '127.0.0.1').pause();
      client.write(asset.repeat(12));
      const socket = await serverSocket;
      await until('the client takes no more', () => socket.writableLength > 0);
      sockets.push(client);
    }
    await until('no request is in flight', () => overload.inFlight === 0);
    expect(await ben.get('/api/v2/tag')).toMatchObject({ status: 200 });
    for (const socket of sockets) socket.destroy();
  });

  test('it is a stream', async () => {
    const streams = [];
    for (let count = 0; count < 5; count += 1) streams.push(await EventStream.open(service, ben, '/api/v2/events'));
    expect(overload.inFlight).toBe(0);
    for (const stream of streams) {
      stream.close();
      await stream.body;
    }
  });
});

test('a request is no longer in flight however it ended', async () => {
  const client = new AbortController();
  const abandonedRequest = fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { Cookie: anna.cookie ?? '', 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: freshQuery() }),
    signal: client.signal,
  });
  await untilWaiting(service, 1);
  expect(overload.inFlight).toBe(1);
  client.abort();
  await expect(abandonedRequest).rejects.toThrow('aborted');
  await until('no request is in flight', () => overload.inFlight === 0);
  for (const path of ['/api/v2/tag', '/api/v2/nothing', '/docs', '/api/v2/todo/search', '/graphql'])
    await ben.get(path);
  await service.anonymous.post('/api/v2/todo', {});
  expect(overload.inFlight).toBe(0);
});
