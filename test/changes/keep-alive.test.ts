import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { holdIntervals, releaseIntervals } from '../kit/intervals.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { Socket, Stream } from './stream.ts';
import { until } from '../kit/until.ts';

let service: Service;
let anna: User;
let advance: (milliseconds: number) => void;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
  advance = holdIntervals();
});
afterAll(async () => {
  releaseIntervals();
  await service.close();
});

const keepAlive = 15_000;
const subscription = 'subscription { taskChanges { taskId } }';

const untilServing = (count: number) =>
  until(`${count} subscriptions are served`, () => service.services.changes.subscriptions === count);

test('a WebSocket that answers no ping is dropped with its subscriptions, and one that does is not', async () => {
  const stream = await Stream.open(service, anna);
  const silentSocket = new WebSocket(`${service.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { Cookie: anna.cookie ?? '' },
    autoPong: false,
  });
  await once(silentSocket, 'open');
  silentSocket.send(JSON.stringify({ type: 'connection_init' }));
  await once(silentSocket, 'message');
  silentSocket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: subscription } }));
  await untilServing(2);

  const [closed, pinged] = [once(silentSocket, 'close'), once(silentSocket, 'ping')];
  const { socket } = stream.socket;
  for (const round of [1, 2, 3]) {
    const ping = once(socket, 'ping');
    advance(keepAlive);
    await ping;
    if (round === 1) await pinged;
    // The service has read the pong before the message after it.
    await new Promise<void>((resolve) => {
      socket.once('pong', () => resolve());
      socket.ping();
    });
  }
  expect(await closed).toMatchObject([1006, expect.anything()]);
  await untilServing(1);
  const { id } = await makeTask(anna);
  expect(await stream.take()).toMatchObject({ taskId: id });
  stream.close();
  await untilServing(0);
});

test('a WebSocket without subscriptions that answers no ping is dropped too', async () => {
  const { socket, closed } = await Socket.ready(service.url, anna.cookie);
  socket.pause();
  advance(keepAlive);
  advance(keepAlive);
  socket.resume();
  expect(await closed).toMatchObject({ code: 1006 });
});

test('a stream without events is kept alive by comments, which detect a lost client', async () => {
  const query = `/graphql?query=${encodeURIComponent(subscription)}`;
  for (const path of ['/api/v2/events', query]) {
    const events = await EventStream.open(service, anna, path, { 'x-graphql-yoga-csrf': '1' });
    expect(events.headers).toMatchObject({ 'cache-control': 'no-store' });
    expect(events.headers).not.toHaveProperty('content-encoding');
    expect(await events.events.take()).toHaveProperty('comment');
    advance(keepAlive);
    expect(await events.events.take()).toEqual({ comment: '' });
    events.close();
    await untilServing(0);

    const { hostname, port } = new URL(service.url);
    const raw = connect(Number(port), hostname);
    raw.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nCookie: ${anna.cookie}\r\n`);
    raw.write('Accept: text/event-stream\r\nx-graphql-yoga-csrf: 1\r\n\r\n');
    await once(raw, 'data');
    await untilServing(1);
    raw.resetAndDestroy();
    await untilServing(0);
  }
});
