import { once } from 'node:events';
import { connect, type Socket as Connection } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { costOf } from '../../src/door/operations.ts';
import { ChangeStream } from '../../rest/v2/changes.ts';
import { schema } from '../../src/schema.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { nextConnection } from '../kit/sockets.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Socket, Stream } from './stream.ts';
import { until } from '../kit/until.ts';
import type { SubscriptionBounds } from '../../packages/execution/subscription-limits.ts';
import { socketLimits } from '../../packages/execution/websocket-flow.ts';

const query = 'subscription { taskChanges { taskId } }';
const ssePath = `/graphql?query=${encodeURIComponent(query)}`;
const csrf = { 'x-graphql-yoga-csrf': '1' };

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
});
let defaults: SubscriptionBounds;
beforeAll(() => void (defaults = { ...service.services.subscriptions.bounds }));
afterEach(() => void Object.assign(service.services.subscriptions.bounds, defaults));

const openRestStream = () => EventStream.open(service, anna, '/api/v2/events');
const openSseStream = () => EventStream.open(service, anna, ssePath, csrf);

const has = (expected: { connections: number; subscriptions: number }) =>
  until(`the user has ${JSON.stringify(expected)}`, () => {
    const { connections, subscriptions } = service.services.subscriptions.usageOf(anna.id);
    return connections === expected.connections && subscriptions === expected.subscriptions;
  });

async function expectRefused(stream: EventStream) {
  expect(stream.status).toBe(429);
  expect(await stream.body).toContain('RATE_LIMITED');
}

describe('the connections of a user', () => {
  test('are bounded over all transports together, and further ones are accepted when others end', async () => {
    service.services.subscriptions.bounds.connections = 3;
    const socket = await Socket.ready(service.url, anna.cookie);
    const [rest, sse] = [await openRestStream(), await openSseStream()];
    await has({ connections: 3, subscriptions: 2 });
    for (const refusedStream of [await openRestStream(), await openSseStream()]) await expectRefused(refusedStream);
    expect(await (await Socket.open(service.url, anna.cookie)).closed).toMatchObject({ code: 1013 });
    const secondSession = await signInAgain(service, anna);
    expect(await (await Socket.open(service.url, secondSession.cookie)).closed).toMatchObject({ code: 1013 });
    const { headers } = await secondSession.get('/api/v2/events');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);

    const ben = await signUp(service);
    (await Socket.ready(service.url, ben.cookie)).close();
    rest.close();
    await has({ connections: 2, subscriptions: 1 });
    const next = await openSseStream();
    expect(next.status).toBe(200);
    for (const each of [socket, sse, next]) each.close();
    await has({ connections: 0, subscriptions: 0 });
  });

  test('are not bounded if RATE_LIMITS is off', async () => {
    Object.assign(service.services.subscriptions.bounds, { connections: 0, enabled: false });
    const stream = await openRestStream();
    expect(stream.status).toBe(200);
    stream.close();
  });
});

describe('the connections of a client', () => {
  test('are bounded for all its users together', async () => {
    service.services.subscriptions.bounds.connectionsOfClient = 2;
    const ben = await signUp(service);
    const socket = await Socket.ready(service.url, anna.cookie);
    const stream = await EventStream.open(service, ben, '/api/v2/events');
    await expectRefused(await openRestStream());
    expect(await (await Socket.open(service.url, ben.cookie)).closed).toMatchObject({ code: 1013 });
    stream.close();
    await until('a stream is served again', async () => {
      const reopened = await openRestStream();
      reopened.close();
      return reopened.status === 200;
    });
    socket.close();
    await has({ connections: 0, subscriptions: 0 });
  });
});

describe('the subscriptions of a user', () => {
  test('are bounded over all transports together', async () => {
    service.services.subscriptions.bounds.subscriptions = 3;
    const [socket, other] = [
      await Socket.ready(service.url, anna.cookie),
      await Socket.ready(service.url, anna.cookie),
    ];
    const rest = await openRestStream();
    for (const each of [socket, other]) each.send({ type: 'subscribe', id: '1', payload: { query } });
    await has({ connections: 3, subscriptions: 3 });
    other.send({ type: 'subscribe', id: '2', payload: { query } });
    expect(await other.messages.take()).toMatchObject({
      payload: { errors: [{ extensions: { code: 'RATE_LIMITED', retryAfter: expect.any(Number) } }] },
    });
    await expectRefused(await openSseStream());

    socket.send({ type: 'complete', id: '1' });
    await has({ connections: 3, subscriptions: 2 });
    const sse = await openSseStream();
    expect(sse.status).toBe(200);
    for (const each of [socket, other, rest, sse]) each.close();
    await has({ connections: 0, subscriptions: 0 });
  });

  test('are bounded by the total cost of their events', async () => {
    service.services.subscriptions.bounds.cost = 2 * costOf(schema, ChangeStream) + 2;
    const streams = [await openRestStream(), await openRestStream()];
    await expectRefused(await openRestStream());
    const cheap = await openSseStream();
    expect(cheap.status).toBe(200);
    for (const each of [...streams, cheap]) each.close();
    await has({ connections: 0, subscriptions: 0 });
  });

  test('are released however they end', async () => {
    const { hostname, port } = new URL(service.url);
    const raw = (path: string) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${anna.cookie}\r\nx-graphql-yoga-csrf: 1\r\n`);
      socket.write('Accept: text/event-stream\r\n\r\n');
      return socket;
    };
    for (const path of ['/api/v2/events', ssePath]) {
      // Resets the connection before, during and after the start of the stream.
      for (let turns = 0; turns < 12; turns += 1) {
        const socket = raw(path);
        for (let round = 0; round < turns; round += 1) await service.anonymous.get('/healthz');
        socket.resetAndDestroy();
      }
      await expectEnded(await EventStream.open(service, anna, `${path}${path.includes('?') ? '&' : '?'}after=x`, csrf));
    }
    for (let turns = 0; turns < 12; turns += 1) {
      const { socket } = await Socket.ready(service.url, anna.cookie);
      for (const id of ['1', '2']) socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query } }));
      for (let round = 0; round < turns; round += 1) await service.anonymous.get('/healthz');
      if (turns % 2 === 0) socket.terminate();
      else socket.close();
    }
    expect(await (await Stream.open(service, anna, { after: 'garbage' })).ended).toBe('CURSOR_EXPIRED');
    const [stream, rest] = [await Stream.open(service, anna), await openRestStream()];
    await anna.post('/api/v1/user/logout');
    expect(await stream.ended).toBe('4401');
    expect((await rest.take()).event).toBe('end');
    await has({ connections: 0, subscriptions: 0 });
  });
});

const expectEnded = (stream: EventStream) => {
  stream.close();
  return stream.body;
};

test('sockets without a session that do not answer the close are bounded', async () => {
  const { closeMs } = socketLimits;
  socketLimits.closeMs = 60_000;
  const { hostname, port } = new URL(service.url);
  const clients: Connection[] = [];
  const upgrade = async () => {
    const client = connect(Number(port), hostname).on('error', () => undefined);
    clients.push(client);
    client.write('GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n');
    client.write('Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n');
    client.write('Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n');
    const [answer] = (await once(client, 'data')) as [Buffer];
    return Number(/^HTTP\/1.1 (\d+)/.exec(answer.toString())?.[1]);
  };
  for (let count = 0; count < 100; count += 1) expect(await upgrade()).toBe(101);
  expect(await upgrade()).toBe(401);
  (await Socket.ready(service.url, anna.cookie)).close();
  socketLimits.closeMs = closeMs;
  for (const client of clients) client.destroy();
});

test('a change with 1,000 subscriptions leaves turns for other requests', async () => {
  const ben = await signUp(service);
  const after = await cursorOfNow(anna);
  const serverSocket = nextConnection();
  const socket = await Socket.ready(service.url, anna.cookie);
  const peer = await serverSocket;
  const document =
    'subscription ($after: String) { taskChanges(after: $after) { cursor task { id title tags { id } } } }';
  for (let id = 0; id < 1000; id += 1) {
    socket.send({ type: 'subscribe', id: String(id), payload: { query: document, variables: { after } } });
  }
  await has({ connections: 1, subscriptions: 1000 });
  await makeTask(anna);
  await socket.messages.take();
  await ben.get('/healthz');
  const writtenBytes = peer.bytesWritten;
  for (let count = 1; count < 1000; count += 1) {
    expect(await socket.messages.take()).toMatchObject({ type: 'next' });
  }
  expect(writtenBytes).toBeLessThan(peer.bytesWritten);
  socket.close();
  await has({ connections: 0, subscriptions: 0 });
});
