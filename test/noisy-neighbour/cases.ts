import { request } from 'node:http';
import sharp from 'sharp';
import { loadOf } from '../../packages/work/load.ts';
import { newToken } from '../../src/accounts/tokens/token.ts';
import { Socket } from '../changes/stream.ts';
import { type LockHolder, openLockHolder } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { randomEmail } from '../kit/random.ts';
import { fill } from '../kit/tasks.ts';
import { until } from '../kit/until.ts';
import type { User } from '../kit/users.ts';
import { makeMany, rowsOf } from '../notifications/planning.ts';
import { makeWebhook } from '../webhooks/webhooks.ts';
import {
  addressOf,
  type Case,
  comes,
  crowd,
  ofEach,
  planActivity,
  planDigests,
  planMail,
  slowDomain,
  succeeds,
  times,
  type World,
} from './world.ts';

let asked = 0;
const freshQuery = (lists: number) =>
  `query Q${(asked += 1)} { ${times(lists, (at) => `l${at}: tasks(first: 50) { nodes { id description } }`).join(' ')} }`;

const query = (user: User, lists: number, signal?: AbortSignal) =>
  user.post('/graphql', { query: freshQuery(lists) }, signal && { signal });

/** Opens connections: a busy server is slow to accept new ones of anybody. */
const connect = ({ service }: World, count: number) =>
  Promise.all(times(count, () => service.anonymous.get('/healthz')));

const queries = (lists: number): Case => ({
  async flood(world, signal) {
    await connect(world, 300);
    return ofEach(world, 40, (user) => query(user, lists, signal));
  },
  ask: ({ neighbour }) => succeeds(query(neighbour, 1)),
});

/** Subscriptions that catch up, many on one socket. */
const subscriptions = (document: string): Case => {
  const open = async ({ service, cursors }: World, user: User, count: number) => {
    const socket = await Socket.ready(service.url, user.cookie);
    const payload = { query: document, variables: { after: cursors.get(user) } };
    for (let at = 0; at < count; at += 1) socket.send({ type: 'subscribe', id: String(at), payload });
    return socket;
  };
  return {
    async flood(world, signal) {
      const sockets = await Promise.all(world.hostile.map((user) => open(world, user, 12)));
      signal.addEventListener('abort', () => sockets.forEach((socket) => socket.close()));
      return sockets.map(({ closed }) => closed);
    },
    async ask(world) {
      const socket = await open(world, world.neighbour, 1);
      const { type, payload } = await socket.messages.take();
      socket.close();
      if (type !== 'next') throw new Error(`the neighbour gets ${type}: ${JSON.stringify(payload)}`);
    },
  };
};

const noise = sharp({
  create: {
    width: 1500,
    height: 1500,
    channels: 3,
    background: 'grey',
    noise: { type: 'gaussian', mean: 128, sigma: 60 },
  },
})
  .jpeg()
  .toBuffer();

const uploadPicture = async (user: User, signal?: AbortSignal) => {
  const form = new FormData();
  form.set('name', 'Anna');
  form.set('image', new Blob([await noise]), 'me');
  return user.post('/api/v1/user/profile', form, signal && { signal });
};

const signIn = (world: World, user: User, signal?: AbortSignal) =>
  world.service.anonymous.post(
    '/api/v1/user/signin',
    { email: user.email, password: user.password },
    { headers: addressOf(world, user), ...(signal && { signal }) },
  );

const readSlowly = ({ service }: World, { cookie }: User, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const options = { headers: { Cookie: cookie }, agent: false, signal };
    const sent = request(`${service.url}/api/v2/todo?completed=false`, options, () => undefined);
    sent
      .on('error', () => undefined)
      .on('close', resolve)
      .end();
  });

const mails = (kind: string, attempts = 0): Case => ({
  flood: async (world) => {
    await Promise.all(times(100, (at) => planMail(world, { to: `user${at}@${slowDomain}`, kind, attempts })));
    return [world.service.services.mailer.drain()];
  },
  async ask(world) {
    const to = randomEmail();
    await planMail(world, { to, kind, attempts });
    world.service.services.mailer.wake();
    await world.sink.take(to);
  },
});

const dueSoon = { reminder: true, isAllDay: false, dueTime: '2026-11-24T12:30:00.000Z' };

let taken = 0;

/** Events of subscriptions with an expensive selection, which wait for the queue of queries. */
export const expensiveEvents: Record<string, Case> = {
  events: subscriptions(
    'subscription ($after: String) { taskChanges(after: $after) { cursor task { project { tasks(first: 100) { nodes { id description } } } } } }',
  ),
};

/** Few, because a look-up waits five seconds for the lock at most. */
const forgedRequests = 40;
let lookUps: LockHolder;

const untilLookUps = (count: number) =>
  until(`${count} look-ups have begun or wait`, () => {
    const { running, waiting } = loadOf('credentials');
    return running + waiting === count;
  });

/** Requests of one address, each with another forged access token. Look-ups end once the neighbour has come. */
export const forgedTokens: Record<string, Case> = {
  'forged tokens': {
    async flood(world, signal) {
      const { service } = world;
      await connect(world, forgedRequests + 1);
      lookUps = await openLockHolder(service);
      await lookUps.sql('LOCK TABLE access_tokens IN ACCESS EXCLUSIVE MODE');
      const headers = () => ({ Authorization: `Bearer ${newToken()}`, 'X-Forwarded-For': '192.0.2.1' });
      const sent = times(forgedRequests, () => service.anonymous.get('/api/v2/tag', { headers: headers(), signal }));
      await untilLookUps(forgedRequests);
      return sent;
    },
    async ask({ neighbour }) {
      const answer = succeeds(neighbour.get('/api/v2/tag'));
      await untilLookUps(forgedRequests + 1);
      await lookUps.release();
      await answer;
    },
  },
};

/** Every queue, by its name in the metrics. */
export const cases: Record<string, Case> = {
  queries: queries(1),
  reads: queries(10),
  credentials: {
    async flood(world, signal) {
      await connect(world, 400);
      return ofEach(world, 55, (user) => user.get('/api/v2/tag', { signal }));
    },
    ask: ({ neighbour }) => succeeds(neighbour.get('/api/v2/tag')),
  },
  writes: {
    flood: (world, signal) => ofEach(world, 40, (user) => user.post('/api/v2/todo', { title: 'x' }, { signal })),
    ask: ({ neighbour }) => succeeds(neighbour.post('/api/v2/todo', { title: 'x' })),
  },
  change_pages: subscriptions('subscription ($after: String) { taskChanges(after: $after) { cursor task { title } } }'),
  sync_reads: subscriptions('subscription { sync { cursor tasks { id title } } }'),
  event_loop: {
    isNoQueue: true,
    flood: (world) => ofEach(world, 500, ({ id }) => world.service.services.turns.next(id).then(() => (taken += 1))),
    async ask({ service, neighbour }) {
      const before = taken;
      await service.services.turns.next(neighbour.id);
      if (taken - before > 20) throw new Error(`${taken - before} turns of others come first`);
    },
  },
  socket_operations: {
    async flood({ service, hostile }, signal) {
      const sockets = await Promise.all(hostile.map(({ cookie }) => Socket.ready(service.url, cookie)));
      signal.addEventListener('abort', () => sockets.forEach((socket) => socket.close()));
      return sockets.flatMap((socket) =>
        times(100, (at) => {
          socket.send({ type: 'subscribe', id: String(at), payload: { query: freshQuery(2) } });
          return socket.messages.take();
        }),
      );
    },
    async ask({ service, neighbour }) {
      const socket = await Socket.ready(service.url, neighbour.cookie);
      const { type } = await socket.run(freshQuery(1));
      socket.close();
      if (type !== 'next') throw new Error(`the neighbour gets ${type}`);
    },
  },
  hashing: {
    flood: (world, signal) => ofEach(world, 8, (user) => signIn(world, user, signal)),
    ask: (world) => succeeds(signIn(world, world.neighbour)),
  },
  pictures: {
    flood: (world, signal) => ofEach(world, 12, (user) => uploadPicture(user, signal)),
    ask: ({ neighbour }) => succeeds(uploadPicture(neighbour)),
  },
  mails_code: mails('CODE'),
  mails_code_retry: mails('CODE', 1),
  mails_notice: mails('NOTICE'),
  mails_retry: mails('NOTICE', 1),
  mails_reminder: {
    async flood(world) {
      await crowd(world, 100);
      await world.service.services.planner.run();
      return [world.service.services.mailer.drain()];
    },
    async ask({ service, sink, neighbour }) {
      await makeTask(neighbour, dueSoon);
      await service.services.planner.run();
      await comes(sink, neighbour, 'Reminder: ');
    },
  },
  mails_digest: {
    async flood(world) {
      const { spaceId } = await crowd(world, 100);
      await planDigests(world, 'space_id', spaceId);
      return [world.service.services.mailer.drain()];
    },
    async ask(world) {
      const { service, sink, neighbour } = world;
      await planDigests(world, 'user_id', neighbour.id);
      service.services.mailer.wake();
      await comes(sink, neighbour, 'Your day: ');
      await service.sql("DELETE FROM deliveries WHERE user_id = $1 AND kind = 'DIGEST'", [neighbour.id]);
    },
  },
  mails_activity: {
    async flood(world) {
      const { taskId } = await crowd(world, 100);
      await planActivity(world, taskId);
      return [world.service.services.mailer.drain()];
    },
    async ask(world) {
      const { service, sink, neighbour } = world;
      const { id, title } = await makeTask(neighbour);
      await planActivity(world, id);
      service.services.mailer.wake();
      await comes(sink, neighbour, title);
    },
  },
  webhooks_messages: {
    async flood({ service, hostile, endpoint, hostileHooks }, signal) {
      // A webhook needs a recent sign-in.
      await service.sql('UPDATE sessions SET created_at = now()');
      endpoint.respond = (response, { path }) => {
        if (path !== '/slow' || signal.aborted) response.end();
        else signal.addEventListener('abort', () => response.end());
      };
      for (const user of hostile) {
        for (let count = 0; count < 10; count += 1)
          hostileHooks.add((await makeWebhook(user, `${endpoint.url}slow`)).webhook.id);
        await makeTask(user);
      }
      const ended = new Promise((resolve) => signal.addEventListener('abort', resolve));
      return [ended.then(() => service.sql(`UPDATE webhooks SET status = 'SKIPPED'`))];
    },
    async ask({ neighbour, endpoint }) {
      await makeWebhook(neighbour, `${endpoint.url}quick`);
      const { id } = await makeTask(neighbour);
      await until('the message of the neighbour', () =>
        endpoint.all.some(({ path, changes }) => path === '/quick' && changes.some(({ taskId }) => taskId === id)),
      );
    },
  },
  planning: {
    isNoQueue: true,
    async flood({ service, hostile }) {
      const dueTime = '2026-11-24T13:30:00.000Z';
      await Promise.all(hostile.map(({ id }) => makeMany(service, id, { count: 3_000, dueTime })));
      return [service.services.planner.run()];
    },
    async ask({ service, neighbour }) {
      const task = await makeTask(neighbour, { ...dueSoon, dueTime: '2026-11-24T13:30:00.000Z' });
      await until('the reminder is planned', async () => (await rowsOf(service, neighbour, task)).includes('PLANNED'));
      if (loadOf('planning').waiting === 0) throw new Error('all others come first');
    },
  },
  lists: {
    async flood(world, signal) {
      const [owner, ...members] = world.hostile as [User, ...User[]];
      const { id: workspaceId } = await makeWorkspace(owner, ...members);
      const { id: projectId } = await makeProject(owner, { workspaceId });
      // More than the buffers of a connection hold.
      await fill(world.service, { id: workspaceId }, 2_500, { description: 'x'.repeat(16_000), projectId });
      const lists = [];
      for (const user of world.hostile) {
        lists.push(...times(4, () => readSlowly(world, user, signal)));
        await until('all are asked for', () => loadOf('lists').running + loadOf('lists').waiting === lists.length);
      }
      return lists;
    },
    ask: ({ neighbour }) => succeeds(neighbour.get('/api/v2/todo?completed=false')),
  },
};
