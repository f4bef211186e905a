import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Socket } from '../changes/stream.ts';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { type Service, startService } from '../kit/service.ts';
import { nextCompletion, recordStatements } from '../kit/statements.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await startService(withMetrics);
});
afterAll(() => service.close());

let anna: User;
let socket: Socket;
beforeEach(async () => {
  anna = await signUp(service);
  socket = await Socket.ready(service.url, anna.cookie);
});

const query = 'subscription { taskChanges { taskId } }';
const subscribe = (id: string) => socket.send({ type: 'subscribe', id, payload: { query } });
const complete = (id: string) => socket.send({ type: 'complete', id });
const untilOpen = (connections: number, subscriptions: number) =>
  until(`${connections} connections and ${subscriptions} subscriptions are open`, () => {
    const usage = service.services.subscriptions.usageOf(anna.id);
    return usage.connections === connections && usage.subscriptions === subscriptions;
  });

async function watchedSessions(...users: User[]): Promise<number> {
  const { statements } = await recordStatements(async () => {
    const answered = nextCompletion('loadViewers');
    service.services.changes.notify({ users: users.map(({ id }) => id) });
    await answered;
  });
  const reads = statements.filter(({ name }) => name === 'loadViewers');
  return new Set(reads.flatMap(({ values }) => values[0] as string[])).size;
}

const openSubscriptions = async () =>
  (await scrape(service.url)).value('taskgate_subscriptions', { transport: 'websocket' }) ?? 0;

test('3,000 uses of one id leave no subscription', async () => {
  for (let round = 0; round < 3000; round += 1) {
    subscribe('1');
    complete('1');
  }
  subscribe('witness');
  await untilOpen(1, 1);
  const { id: taskId } = await makeTask(anna);
  const payload = { data: { taskChanges: { taskId } } };
  expect(await socket.messages.take()).toEqual({ id: 'witness', type: 'next', payload });
  expect(socket.messages.size).toBe(0);
  socket.close();
  await untilOpen(0, 0);
});

test.each<[string, (own: Socket) => unknown]>([
  ['is closed by its peer', (own) => own.close()],
  ['is cut', (own) => own.socket.terminate()],
  ['sends an invalid message', (own) => own.send({ type: 'nonsense' })],
  ['uses an id of a running operation', () => subscribe('last')],
  ['loses its session', () => anna.data('mutation { signOut }')],
])('nothing is left of a socket that %s while it subscribes', async (_label, end) => {
  const ben = await signUp(service);
  const other = await Socket.ready(service.url, ben.cookie);
  subscribe('first');
  await untilOpen(1, 1);
  await until('both sockets are watched', async () => (await watchedSessions(anna, ben)) === 2);
  for (let round = 0; round < 300; round += 1) {
    subscribe('1');
    complete('1');
  }
  subscribe('last');
  await until('the last one is open', () => service.services.subscriptions.usageOf(anna.id).subscriptions >= 2);
  for (let round = 0; round < 50; round += 1) subscribe(`of turn ${round}`);
  await end(socket);
  await socket.closed;
  await untilOpen(0, 0);
  expect(service.services.changes.subscriptions).toBe(0);
  await until('the other socket alone is watched', async () => (await watchedSessions(anna, ben)) === 1);
  expect(await openSubscriptions()).toBe(0);
  other.close();
});
