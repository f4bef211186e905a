import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { RequestBodies } from '@taskgate/http';
import { WebSocket } from 'ws';
import { SocketFlow } from '../../packages/execution/websocket-flow.ts';
import { Socket } from '../changes/stream.ts';
import { fill } from '../kit/tasks.ts';
import { usedBytes } from '../kit/heap.ts';
import { type Service, startService } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';

const query = 'subscription { taskChanges { taskId } }';

test('open subscriptions of a WebSocket do not hold their messages', async () => {
  const service = await sharedService();
  const anna = await signUp(service);
  const socket = await Socket.ready(service.url, anna.cookie);
  const open = async (count: number, pad: string) => {
    const first = service.services.subscriptions.usageOf(anna.id).subscriptions;
    for (let index = 0; index < count; index += 1) {
      const extensions = { pad: `${index}${pad}` };
      socket.send({ type: 'subscribe', id: `${first}-${index}`, payload: { query, extensions }, pad });
    }
    await until('they are open', () => service.services.subscriptions.usageOf(anna.id).subscriptions === first + count);
  };
  await open(10, '');
  const before = usedBytes();
  const [count, length] = [40, 400_000];
  await open(count, 'x'.repeat(length));
  // Other work of the process takes some, too.
  expect(usedBytes() - before).toBeLessThan((count * length) / 2);
  socket.close();
});

test('a WebSocket with the id of an operation above 255 characters is closed', async () => {
  const service = await sharedService();
  const socket = await Socket.ready(service.url, (await signUp(service)).cookie);
  socket.send({ type: 'subscribe', id: 'x'.repeat(256), payload: { query } });
  expect(await socket.closed).toMatchObject({ code: 4400, reason: 'An id has at most 255 characters' });
});

test('messages that a WebSocket sends at once take turns of the event loop', async () => {
  const service = await sharedService();
  const socket = await Socket.ready(service.url, (await signUp(service)).cookie);
  let inTurn = 0;
  let mostInTurn = 0;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is called with its flow below
  const { send } = SocketFlow.prototype;
  const spy = jest.spyOn(SocketFlow.prototype, 'send').mockImplementation(function (this: SocketFlow, ...frames) {
    if (inTurn === 0) setImmediate(() => (inTurn = 0));
    mostInTurn = Math.max(mostInTurn, (inTurn += 1));
    return send.apply(this, frames);
  });
  try {
    for (let sent = 0; sent < 200; sent += 1) socket.send({ type: 'ping' });
    for (let received = 0; received < 200; received += 1)
      expect(await socket.messages.take()).toMatchObject({ type: 'pong' });
    expect(mostInTurn).toBeLessThan(10);
  } finally {
    spy.mockRestore();
    socket.close();
  }
});

test('the text of a large result is made in pieces, and nothing of its operation overtakes it', async () => {
  const service = await sharedService();
  const anna = await signUp(service);
  await fill(service, anna, 200, { description: 'é'.repeat(5000) });
  const socket = await Socket.ready(service.url, anna.cookie);
  const stringify = jest.spyOn(JSON, 'stringify');
  try {
    socket.send({
      type: 'subscribe',
      id: 'large"',
      payload: { query: '{ tasks(first: 200) { nodes { description } } }' },
    });
    const next = await socket.messages.take();
    const lengths = stringify.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0));
    expect(Math.max(...lengths)).toBeLessThan(200_000);
    const nodes = Array.from({ length: 200 }, () => ({ description: 'é'.repeat(5000) }));
    expect(next).toEqual({ id: 'large"', type: 'next', payload: { data: { tasks: { nodes } } } });
    expect(await socket.messages.take()).toEqual({ id: 'large"', type: 'complete' });
  } finally {
    stringify.mockRestore();
    socket.close();
  }
});

describe('unfinished messages of WebSockets', () => {
  const kib = 1024;
  const limits = { maxBytes: 1024 * kib, maxBytesOfKey: 256 * kib };
  const bodies = new RequestBodies({ session: limits, anonymous: limits });
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, { bodies });
  });
  afterAll(() => service.close());

  const closeOf = (socket: WebSocket) =>
    new Promise<[number, string]>((resolve) =>
      socket.once('close', (code, reason) => resolve([code, reason.toString('utf8')])),
    );

  /** Sends the beginning of a message. */
  async function openUnfinished(headers: { Cookie?: string }) {
    const socket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
    const closed = closeOf(socket);
    await once(socket, 'open');
    const before = bodies.held;
    socket.send('x'.repeat(200 * kib), { fin: false });
    await Promise.race([closed, until('it has arrived', () => bodies.held >= before + 200 * kib)]);
    return { socket, closed };
  }

  test.each(['an account', 'a stranger'])('hold bounded memory for %s', async (who) => {
    const headers = who === 'a stranger' ? {} : { Cookie: (await signUp(service)).cookie ?? '' };
    const first = await openUnfinished(headers);
    const second = await openUnfinished(headers);
    expect(await second.closed).toEqual([1013, 'Too many messages in progress']);
    first.socket.terminate();
    await until('nothing is held', () => bodies.held === 0);
  });

  test('are no pings and pongs, also between fragments', async () => {
    const { socket } = await openUnfinished({ Cookie: (await signUp(service)).cookie ?? '' });
    const before = bodies.held;
    const ping = async (from: WebSocket) => {
      from.pong('x'.repeat(100));
      from.ping('x'.repeat(100));
      await once(from, 'pong');
    };
    for (let count = 0; count < 10; count += 1) await ping(socket);
    expect(bodies.held).toBeGreaterThanOrEqual(before);
    socket.terminate();
    await until('nothing is held', () => bodies.held === 0);
    const idle = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    await once(idle, 'open');
    for (let count = 0; count < 10; count += 1) await ping(idle);
    expect(bodies.held).toBe(0);
    idle.terminate();
  });

  test('count no longer at their end', async () => {
    const { socket, closed } = await openUnfinished({ Cookie: (await signUp(service)).cookie ?? '' });
    socket.send('x', { fin: true });
    expect((await closed)[0]).toBe(4400);
    await until('nothing is held', () => bodies.held === 0);
  });
});
