import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Message, Socket } from '../changes/stream.ts';
import { type Service, startService } from '../kit/service.ts';
import { fill } from '../kit/tasks.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
let anna: User;
let ben: User;
let socket: Socket;
const onSocket = new Map<string, (message: Message) => void>();

beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' });
  [anna, ben] = [await signUp(service), await signUp(service)];
  await fill(service, anna, 2000);
  // What is done once for all queries of a kind.
  await ben.data('{ first: tagCount }');
  await anna.get('/api/v2/todo?first');
  socket = await Socket.ready(service.url, anna.cookie);
  socket.socket.on('message', (data: Buffer) => {
    const message = JSON.parse(data.toString('utf8')) as Message;
    if (message.type !== 'complete') onSocket.get(message.id ?? '')?.(message);
  });
});
afterAll(async () => {
  socket.close();
  await service.close();
});

const asked = 40;
const page = (n: number) =>
  `query Q${n} { tasks(first: 500) { nodes { id title children { id title } tags { name } } } }`;

/** @returns the `next` (or `error`) of the operation */
const askOverSocket = (n: number) =>
  new Promise<Message>((resolve) => {
    onSocket.set(`${n}`, resolve);
    socket.send({ type: 'subscribe', id: `${n}`, payload: { query: page(n) } });
  });

/** How many nodes an answer of GraphQL has. */
const counted = (answer: unknown) => (answer as { tasks: { nodes: unknown[] } }).tasks.nodes.length;

/** Reads a list without a look at it: its client shares the event loop with the service. */
async function statusOf(path: string): Promise<number> {
  const answer = await fetch(`${service.url}${path}`, { headers: { cookie: anna.cookie ?? '' } });
  await answer.arrayBuffer();
  return answer.status;
}

test.each<[string, (n: number) => Promise<number>, number]>([
  ['lists', (n) => statusOf(`/api/v2/todo?turn=${n}`), 200],
  ['filtered lists', (n) => statusOf(`/api/v2/todo?completed=false&turn=${n}`), 200],
  ['GraphQL queries', async (n) => counted(await anna.data(page(n))), 500],
  [
    'GraphQL queries over a WebSocket',
    async (n) => counted(((await askOverSocket(n)).payload as { data: unknown }).data),
    500,
  ],
])("another account's small read comes between many %s", async (_name, ask, expected) => {
  let done = 0;
  const all = Array.from({ length: asked }, async (_, n) => {
    const answer = await ask(n);
    done += 1;
    return answer;
  });
  // The first one is answered: by now all have come.
  await Promise.race(all);
  const before = done;
  expect(await ben.data('{ tagCount }')).toEqual({ tagCount: 0 });
  // One that had to wait for all before it would come after nearly all.
  expect(done - before).toBeLessThan(asked / 2);
  expect(await Promise.all(all)).toEqual(Array(asked).fill(expected));
});
