import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Point } from '@taskgate/postgres';
import { loadOf } from '../../packages/work/load.ts';
import { Hub } from '../../src/changes/live/hub.ts';
import { ChangeQueue } from '../../src/changes/live/queue.ts';
import { readPage } from '../../src/changes/log/page.ts';
import { openLockHolder } from '../kit/locks.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import type { StreamBounds } from '../../src/changes/live/subscription.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Socket, Stream } from './stream.ts';
import { until } from '../kit/until.ts';

const pointOfSpace = 'SELECT revision::int, history_nonce AS "historyNonce" FROM spaces WHERE id = $1';

const deaf = {
  push: () => undefined,
  advance: () => undefined,
  fallBehind: () => undefined,
  recheck: () => Promise.resolve(),
};

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

describe('many subscribers', () => {
  test('share one read of the log, one read of the sessions and one load of the task', async () => {
    const ben = await signUp(service);
    const workspace = await makeWorkspace(anna, ben);
    const { id: projectId } = await makeProject(anna, { workspaceId: workspace.id });
    const document = 'subscription ($after: String) { taskChanges(after: $after) { kind task { id title } } }';
    const sockets = [await Socket.ready(service.url, anna.cookie), await Socket.ready(service.url, ben.cookie)];
    for (const [index, socket] of sockets.entries()) {
      const after = await cursorOfNow(index === 0 ? anna : ben);
      for (let id = 0; id < 50; id += 1) {
        socket.send({ type: 'subscribe', id: String(id), payload: { query: document, variables: { after } } });
      }
    }
    const takeAll = () =>
      Promise.all(sockets.flatMap((socket) => Array.from({ length: 50 }, () => socket.messages.take())));
    await makeTask(anna, { projectId });
    await takeAll();
    const { statements } = await recordStatements(async () => {
      await makeTask(anna, { projectId });
      await takeAll();
    });
    // A notification and a poll may come together. Without sharing, the subscribers would run a hundred statements.
    for (const name of ['readLog', 'loadViewers', 'read(Task)']) {
      const count = statements.filter((statement) => statement.name === name).length;
      expect({ name, isRun: count > 0, isShared: count <= 4 }).toEqual({ name, isRun: true, isShared: true });
    }
    for (const socket of sockets) socket.close();
  });

  test('cost no statement without changes, except the slow poll', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => Stream.open(service, anna)));
    await makeTask(anna);
    await Promise.all(streams.map((stream) => stream.take()));
    const { statements } = await recordStatements(async () => {
      // The slow poll finds the first title. A second poll has passed after the second one.
      for (const title of ['a', 'b']) {
        await service.sql('UPDATE tasks SET title = $2 WHERE space_id = $1', [anna.id, title]);
        await Promise.all(streams.map((stream) => stream.take()));
      }
    });
    expect(statements.length).toBeLessThan(25);
    for (const stream of streams) stream.close();
  });

  test('leave connections for other requests when they return at once', async () => {
    const after = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    const count = 40;
    const log = await openLockHolder(service);
    try {
      await log.sql('LOCK TABLE changes IN ACCESS EXCLUSIVE MODE');
      const streams = await Promise.all(Array.from({ length: count }, () => Stream.open(service, anna, { after })));
      await until('all read the log, or wait for it', () => {
        const { running, waiting } = loadOf('change_pages');
        return running === 2 && waiting === count - 2;
      });
      expect((await anna.get('/api/v2/todo')).status).toBe(200);
      await log.release();
      for (const stream of streams) {
        expect(await stream.take()).toMatchObject({ taskId: id });
        stream.close();
      }
    } finally {
      await log.release();
    }
  });
});

test('a subscriber that vanishes silently leaves nothing behind, over any transport', async () => {
  const query = encodeURIComponent('subscription { taskChanges { taskId } }');
  const count = (expected: number) =>
    until(`${expected} subscriptions are open`, () => service.services.changes.subscriptions === expected);
  await count(0);
  const streams = [
    await Stream.open(service, anna),
    await EventStream.open(service, anna, '/api/v2/events'),
    await EventStream.open(service, anna, `/graphql?query=${query}`, { 'x-graphql-yoga-csrf': '1' }),
  ];
  await count(3);
  for (const stream of streams) stream.close();
  await count(0);
});

describe('a consumer that does not read', () => {
  let defaults: StreamBounds;
  beforeAll(() => void (defaults = { ...service.services.changes.bounds }));
  afterAll(() => void Object.assign(service.services.changes.bounds, defaults));

  interface Consumer {
    pause(): void;
    resume(): void;
    rest(): Promise<{ cursors: string[]; end: string }>;
  }

  async function overSse(path: string, cursorOf: (data: string) => string | undefined): Promise<Consumer> {
    const stream = await EventStream.open(service, anna, path, { 'x-graphql-yoga-csrf': '1' });
    const rest = async () => {
      for (const cursors: string[] = []; ;) {
        const { data = '' } = await stream.take();
        const cursor = cursorOf(data);
        if (cursor === undefined) return { cursors, end: data };
        cursors.push(cursor);
      }
    };
    return { pause: stream.pause, resume: stream.resume, rest };
  }

  const transports: ((after: string) => Promise<Consumer>)[] = [
    (after) => overSse(`/api/v2/events?after=${after}`, (data) => (JSON.parse(data) as { cursor?: string }).cursor),
    (after) => {
      const query = `subscription { taskChanges(after: "${after}") { cursor task { description } } }`;
      const cursorOf = (data: string) =>
        (JSON.parse(data) as { data?: { taskChanges: { cursor: string } } }).data?.taskChanges.cursor;
      return overSse(`/graphql?query=${encodeURIComponent(query)}`, cursorOf);
    },
    async (after) => {
      const socket = await Socket.ready(service.url, anna.cookie);
      const query = `subscription { taskChanges(after: "${after}") { cursor task { description } } }`;
      socket.send({ type: 'subscribe', id: '1', payload: { query } });
      const rest = async () => {
        for (const cursors: string[] = []; ;) {
          const { type, payload } = await socket.messages.take();
          if (type !== 'next') return { cursors, end: JSON.stringify(payload) };
          cursors.push((payload as { data: { taskChanges: { cursor: string } } }).data.taskChanges.cursor);
        }
      };
      return { pause: () => socket.socket.pause(), resume: () => socket.socket.resume(), rest };
    },
  ];

  test('is given up, can resume, and delays nobody, over any transport', async () => {
    Object.assign(service.services.changes.bounds, { slowConsumerMs: 100, queuedRows: 2 });
    const { id } = await makeTask(anna);
    // The text is longer than clients can write, to fill the buffers with few changes.
    await service.sql('ALTER TABLE tasks DROP CONSTRAINT tasks_description_check');
    await service.sql(`UPDATE tasks SET description = repeat('x', 500000) WHERE id = $1`, [id]);
    const after = await cursorOfNow(anna);
    const quick = await Stream.open(service, anna, { after });
    const consumers = await Promise.all(transports.map((open) => open(after)));
    for (const consumer of consumers) consumer.pause();
    // This is more than the buffers hold. The second of two slow polls finds the consumers stalled.
    const cursors: string[] = [];
    for (let round = 0; round < 40; round += 1) {
      await anna.patch(`/api/v2/todo/${id}`, { title: `round ${round}` });
      cursors.push((await quick.take()).cursor);
    }
    for (const reminder of [true, false]) {
      await service.sql('UPDATE tasks SET reminder = $1 WHERE id = $2', [reminder, id]);
      cursors.push((await quick.take()).cursor);
    }
    for (const consumer of consumers) {
      consumer.resume();
      const told = await consumer.rest();
      expect(told.end).toContain('SUBSCRIBER_TOO_SLOW');
      const count = told.cursors.length;
      expect(count).toBeLessThan(cursors.length);
      expect(told.cursors).toEqual(cursors.slice(0, count));
      const resumed = await Stream.open(service, anna, { after: told.cursors.at(-1) ?? after });
      expect((await resumed.takeMany(cursors.length - count)).map(({ cursor }) => cursor)).toEqual(
        cursors.slice(count),
      );
      resumed.close();
    }
    quick.close();
  });

  test('is still served if there was only a burst', async () => {
    Object.assign(service.services.changes.bounds, { slowConsumerMs: 60_000, queuedRows: 2 });
    const ben = await signUp(service);
    for (const title of ['a', 'b']) await makeTask(ben, { title });
    const stream = await Stream.open(service, ben);
    await service.sql(`DO $$ BEGIN FOR n IN 1..50 LOOP
      UPDATE tasks SET title = 'burst ' || n WHERE space_id = '${ben.id}'; COMMIT; END LOOP; END $$`);
    const cursors = (await stream.takeMany(100)).map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(100);
    stream.close();
  });

  test('has a queue that is bounded by the number of changes, not of transactions', async () => {
    const [point] = await service.sql<Point>(pointOfSpace, [anna.id]);
    const points = new Map(point && [[anna.id, point]]);
    await service.sql("UPDATE tasks SET title = 'many' WHERE space_id = $1", [anna.id]);
    const { transactions } = await readPage(service.services, { points }, 100);
    const [many] = transactions;
    if (!many) throw new Error('the update was logged');
    expect(many.rows.length).toBeGreaterThan(1);
    const queue = new ChangeQueue();
    for (const wait of [many, many]) queue.push(wait);
    queue.advance(points);
    expect(queue.rows).toBe(2 * many.rows.length);
    expect([queue.shift(), queue.rows, queue.shift(), queue.rows]).toEqual([many, many.rows.length, many, 0]);
    expect(queue.shift()).toEqual(points);
  });
});

describe('a space whose log cannot be read', () => {
  /** Changes several spaces in one transaction. Its row in the first space is unreadable. */
  const poison = (space: string, statement: string) =>
    service.sql(`DO $$ BEGIN ${statement};
      UPDATE changes SET at = 'infinity' WHERE space_id = '${space}' AND transaction_id = pg_current_xact_id()::text::bigint; END $$`);
  const cure = () => service.sql("UPDATE changes SET at = now() WHERE at = 'infinity'");
  const retitle = (spaces: string[]) => `UPDATE tasks SET title = 'new' WHERE space_id IN ('${spaces.join("','")}')`;

  test('delays no subscription to other spaces, and continues once it can be read', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    for (const user of [ben, cleo]) await makeTask(user);
    const [bens, cleos] = [await Stream.open(service, ben), await Stream.open(service, cleo)];
    await poison(ben.id, retitle([ben.id]));
    service.services.changes.notify({ spaces: [ben.id, cleo.id] });
    const { id } = await makeTask(cleo);
    expect(await cleos.take()).toMatchObject({ taskId: id });
    await cure();
    expect(await bens.take()).toMatchObject({ kind: 'UPDATED' });
    for (const stream of [bens, cleos]) stream.close();
  });

  test('delays a transaction only for subscriptions to both of its spaces, which get it as a whole', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    const [poisoned, healthy] = [await makeWorkspace(ben), await makeWorkspace(ben, cleo)];
    const projects: string[] = [];
    for (const { id: workspaceId } of [poisoned, healthy]) projects.push((await makeProject(ben, { workspaceId })).id);
    const task = await makeTask(ben, { projectId: projects[0] });
    const [bens, cleos] = [await Stream.open(service, ben), await Stream.open(service, cleo)];
    const move = `UPDATE tasks SET space_id = '${healthy.id}', project_id = '${projects[1]}' WHERE id = '${task.id}'`;
    await poison(poisoned.id, move);
    service.services.changes.notify({ spaces: [poisoned.id, healthy.id] });
    expect(await cleos.take()).toMatchObject({ kind: 'CREATED', taskId: task.id });
    await cure();
    expect(await bens.take()).toMatchObject({ kind: 'UPDATED', taskId: task.id });
    const { id } = await makeTask(ben, { projectId: projects[1] });
    expect(await bens.take()).toMatchObject({ kind: 'CREATED', taskId: id });
    for (const stream of [bens, cleos]) stream.close();
  });

  test('is given up if it takes too long, and delays nobody', async () => {
    const [ben, cleo] = [await signUp(service), await signUp(service)];
    const pointOf = async ({ id }: User) => {
      const [point] = await service.sql<Point>(pointOfSpace, [id]);
      if (!point) throw new Error('a user has a space');
      return point;
    };
    const points = new Map([
      [ben, await pointOf(ben)],
      [cleo, await pointOf(cleo)],
    ]);
    for (const user of points.keys()) await makeTask(user);
    const [known] = await service.sql<{ text: string }>(
      "SELECT pg_get_functiondef('history_nonce_at'::regproc) AS text",
    );
    const text = known?.text ?? '';
    await service.sql(text.replace('BEGIN', `BEGIN IF space.id = '${ben.id}' THEN PERFORM pg_sleep(60); END IF;`));
    const hub = new Hub(service.services.connections, { statementMs: 500 });
    const told: User[] = [];
    for (const [user, point] of points) {
      const push = () => void told.push(user);
      hub.watch({ ...deaf, userId: user.id, push }, user.id, point);
    }
    await until('the other one is told', () => told.length === 1);
    await service.sql(text);
    await until('both are told', () => {
      hub.pollAll();
      return told.length === 2;
    });
    expect(told).toEqual([cleo, ben]);
    await hub.close();
  });
});
