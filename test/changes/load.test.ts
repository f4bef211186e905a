import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSubscriptions } from '../../src/changes/rules.ts';
import { bounds } from '../../src/changes/subscription.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { recordStatements } from '../kit/statements.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Socket, Stream } from './stream.ts';

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
  anna = await signUp(service);
});
afterAll(() => service.close());

describe('many subscribers', () => {
  test('share one read of the log, one look at the sessions and one load of the task', async () => {
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
    const count = (what: RegExp) => statements.filter(({ sql }) => what.test(sql)).length;
    // A wake-up and a slow look may come together; each subscriber by itself would make a hundred.
    expect(count(/FROM task_changes/)).toBeLessThanOrEqual(4);
    expect(count(/FROM sessions\s+JOIN memberships/)).toBeLessThanOrEqual(4);
    expect(count(/"tasks"\."?id"? IN|"tasks"."id" =|FROM "public"."tasks"/)).toBeLessThanOrEqual(3);
    for (const socket of sockets) socket.close();
  });

  test('cost no statement while nothing happens, but the slow look', async () => {
    const streams = await Promise.all(Array.from({ length: 10 }, () => Stream.open(service, anna)));
    await makeTask(anna);
    await Promise.all(streams.map((stream) => stream.take()));
    const { statements } = await recordStatements(async () => {
      // The slow look finds this: two of them have passed by then.
      for (const title of ['a', 'b']) {
        await service.sql('UPDATE tasks SET title = $2 WHERE space_id = $1', [anna.id, title]);
        await Promise.all(streams.map((stream) => stream.take()));
      }
    });
    expect(statements.length).toBeLessThan(25);
    for (const stream of streams) stream.close();
  });
});

test('a subscriber that goes without a word leaves nothing behind, over any door', async () => {
  const query = encodeURIComponent('subscription { taskChanges { taskId } }');
  const count = async (expected: number) => {
    while (openSubscriptions() !== expected) await anna.get('/healthz');
  };
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

describe('a consumer that takes nothing', () => {
  const { patience, queue } = bounds;
  afterAll(() => void Object.assign(bounds, { patience, queue }));

  test('is given up with SUBSCRIBER_TOO_SLOW, resumes, and holds nobody up', async () => {
    Object.assign(bounds, { patience: 100, queue: 2 });
    const text = 'x'.repeat(200_000);
    const { id } = await makeTask(anna, { description: text });
    const after = await cursorOfNow(anna);
    const slow = await EventStream.open(service, anna, `/api/v2/events?after=${after}`);
    const quick = await Stream.open(service, anna, { after });
    slow.pause();
    const titles: string[] = [];
    // More than the buffers on the way hold, until the service says that it is too much.
    for (let round = 0; round < 60; round += 1) {
      titles.push(`round ${round}`);
      await anna.patch(`/api/v2/todo/${id}`, { title: `round ${round}` });
      expect(await quick.take()).toMatchObject({ task: { title: `round ${round}` } });
    }
    await service.sql('UPDATE tasks SET reminder = true WHERE id = $1', [id]);
    await quick.take();
    await service.sql('UPDATE tasks SET reminder = false WHERE id = $1', [id]);
    await quick.take();
    slow.resume();
    let last = after;
    let seen = 0;
    for (;;) {
      const event = await slow.take();
      if (event.event === 'end') {
        expect(event.data).toContain('SUBSCRIBER_TOO_SLOW');
        break;
      }
      last = event.id ?? '';
      seen += 1;
    }
    expect(seen).toBeLessThan(62);
    const resumed = await EventStream.open(service, anna, '/api/v2/events', { 'Last-Event-ID': last });
    for (; seen < 62; seen += 1) expect(await resumed.take()).toMatchObject({ event: 'task' });
    resumed.close();
    quick.close();
  });

  test('is served all the same where it was only a burst', async () => {
    Object.assign(bounds, { patience: 60_000, queue: 2 });
    const stream = await Stream.open(service, anna);
    await service.sql(`DO $$ BEGIN FOR n IN 1..50 LOOP
      UPDATE tasks SET title = 'burst ' || n WHERE space_id = '${anna.id}'; COMMIT; END LOOP; END $$`);
    const [{ count } = { count: 0 }] = await service.sql<{ count: number }>(
      'SELECT count(*)::int AS count FROM tasks WHERE space_id = $1',
      [anna.id],
    );
    const cursors = (await stream.takeMany(50 * count)).map(({ cursor }) => cursor);
    expect(new Set(cursors).size).toBe(50 * count);
    stream.close();
  });
});
