import type { Socket as Connection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { nextConnection } from '../kit/sockets.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Socket } from './stream.ts';
import { until } from '../kit/until.ts';
import { socketLimits } from '../../packages/execution/websocket-flow.ts';

let service: Service;
let anna: User;
let taskId: string;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  taskId = (await makeTask(anna, { description: 'x'.repeat(16_000) })).id;
});
afterAll(() => service.close());

const aliases = Array.from({ length: 40 }, (_, index) => `d${index}: description`).join(' ');
/** Size in bytes of a response or event with these fields. */
const answerBytes = 40 * 16_000;
const maxBytes = socketLimits.bufferedBytes + (socketLimits.executions + 1) * answerBytes;

async function connected(): Promise<{ socket: Socket; peer: Connection }> {
  const serverSocket = nextConnection();
  const socket = await Socket.ready(service.url, anna.cookie);
  return { socket, peer: await serverSocket };
}

/** Returns the most bytes that wait for a peer that does not read. */
async function maxQueuedBytes(peer: Connection): Promise<number> {
  let max = 0;
  for (let round = 0; round < 100; round += 1) {
    await service.anonymous.get('/healthz');
    max = Math.max(max, peer.writableLength);
  }
  return max;
}

describe('a WebSocket that does not read', () => {
  test('has few responses executed for it, and all of them once it reads', async () => {
    const { socket, peer } = await connected();
    socket.socket.pause();
    const count = 100;
    const query = `query ($id: ID!) { task(id: $id) { ${aliases} } }`;
    for (let id = 0; id < count; id += 1) {
      socket.send({ type: 'subscribe', id: String(id), payload: { query, variables: { id: taskId } } });
    }
    expect(await maxQueuedBytes(peer)).toBeLessThan(maxBytes);
    expect(peer.isPaused()).toBe(true);
    socket.socket.resume();
    for (let rest = 2 * count; rest > 0; rest -= 1) {
      const { type } = await socket.messages.take();
      expect(['next', 'complete']).toContain(type);
    }
    expect(peer.isPaused()).toBe(false);
    socket.close();
  });

  test('has few events of its subscriptions executed for it, and all of them once it reads', async () => {
    const { socket, peer } = await connected();
    const after = await cursorOfNow(anna);
    const query = `subscription ($after: String) { taskChanges(after: $after) { task { ${aliases} } } }`;
    const count = 100;
    for (let id = 0; id < count; id += 1) {
      socket.send({ type: 'subscribe', id: String(id), payload: { query, variables: { after } } });
    }
    await until(`${count} subscriptions are open`, () => service.services.changes.subscriptions >= count);
    socket.socket.pause();
    await anna.patch(`/api/v2/todo/${taskId}`, { reminder: true });
    expect(await maxQueuedBytes(peer)).toBeLessThan(maxBytes);
    socket.socket.resume();
    for (let rest = count; rest > 0; rest -= 1) expect(await socket.messages.take()).toMatchObject({ type: 'next' });
    socket.close();
  });

  test('is not read further even if it pings', async () => {
    const { socket, peer } = await connected();
    socket.socket.pause();
    const payload = Buffer.alloc(125);
    for (let count = 0; count < 100_000; count += 1) socket.socket.ping(payload);
    expect(await maxQueuedBytes(peer)).toBeLessThan(2 * socketLimits.bufferedBytes);
    socket.socket.terminate();
  });
});

test('a ping with a large payload is answered without it', async () => {
  const { socket } = await connected();
  socket.send({ type: 'ping', payload: { text: 'x'.repeat(1_000_000) } });
  expect(await socket.messages.take()).toEqual({ type: 'pong' });
  socket.send({ type: 'ping', payload: { text: 'x' } });
  expect(await socket.messages.take()).toEqual({ type: 'pong', payload: { text: 'x' } });
  socket.send({ type: 'ping' });
  expect(await socket.messages.take()).toEqual({ type: 'pong' });
  socket.close();
});

test('an unread stream holds one waiting event', async () => {
  const after = await cursorOfNow(anna);
  await service.sql(`DO $$ BEGIN FOR n IN 1..1000 LOOP
    UPDATE tasks SET title = 'burst ' || n WHERE id = '${taskId}'; COMMIT; END LOOP; END $$`);
  const query = `subscription { taskChanges(after: "${after}") { task { ${aliases} } } }`;
  for (const path of [`/api/v2/events?after=${after}`, `/graphql?query=${encodeURIComponent(query)}`]) {
    const serverSocket = nextConnection();
    const stream = await EventStream.open(service, anna, path, { 'x-graphql-yoga-csrf': '1' });
    const peer = await serverSocket;
    stream.pause();
    expect(await maxQueuedBytes(peer)).toBeLessThan(2 * answerBytes);
    stream.close();
  }
});
