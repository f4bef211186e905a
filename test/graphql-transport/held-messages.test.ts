import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { SocketFlow } from '../../packages/execution/websocket-flow.ts';
import { Socket } from '../changes/stream.ts';
import { fill } from '../kit/tasks.ts';
import { sharedService } from '../kit/shared-service.ts';
import { until } from '../kit/until.ts';
import { signUp } from '../kit/users.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function usedBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

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
