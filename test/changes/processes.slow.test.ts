import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createClient } from 'graphql-sse';
import pg from 'pg';
import { Client } from '../kit/client.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { addMember, makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { makeProgram } from '../kit/program.ts';
import { type ServiceProcess, spawnService } from '../kit/process.ts';
import { type RedisServer, startRedis } from '../kit/redis.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { Replica } from './replica.ts';
import { EventStream } from './sse.ts';
import { cursorOfNow, Inbox, Socket, Stream } from './stream.ts';
import { until } from '../kit/until.ts';

describe('two processes on one database', () => {
  let service: Service;
  let anna: User;
  const processes: ServiceProcess[] = [];
  let redis: RedisServer | undefined;

  beforeAll(async () => {
    service = await startService();
    anna = await signUp(service);
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const each of processes) each.signal('SIGKILL');
    await redis?.stop();
    await service.close();
  });

  async function startAnother(variables: Record<string, string> = {}): Promise<ServiceProcess & { url: string }> {
    const started = await spawnService({
      ...service.variables,
      LOG_LEVEL: 'warn',
      ...variables,
    });
    processes.push(started);
    if (started.url === undefined) throw new Error(started.errors());
    return { ...started, url: started.url };
  }

  test('notify each other, and subscribers of a killed process only need a new connection', async () => {
    const other = await startAnother();
    const [here, there] = [new Client(service.url, anna.cookie), new Client(other.url, anna.cookie)];
    const stream = await Stream.open(other, anna);
    const first = await makeTask(here);
    const { cursor } = await stream.take();
    const resumedStream = await Stream.open(service, anna, { after: cursor });
    const second = await makeTask(there);
    expect(await resumedStream.take()).toMatchObject({ taskId: second.id });
    expect(await stream.take()).toMatchObject({ taskId: second.id });
    // The process dies after the commit, before it delivers or notifies.
    await service.sql("UPDATE tasks SET title = 'Unheard' WHERE id = $1", [first.id]);
    other.signal('SIGKILL');
    expect(await stream.ended).toBe('1006');
    const resumed = await Stream.open(service, anna, { after: cursor });
    expect(await resumed.takeMany(2)).toMatchObject([
      { taskId: second.id },
      { taskId: first.id, task: { title: 'Unheard' } },
    ]);
    for (const each of [resumedStream, resumed]) each.close();
  });

  test('are notified only of the spaces that a mutation wrote to', async () => {
    const [quietStream, busyStream] = [await makeWorkspace(anna), await makeWorkspace(anna)];
    const task = await makeTask(anna, { projectId: (await makeProject(anna, { workspaceId: busyStream.id })).id });
    const client = new pg.Client(service.databaseUrl);
    await client.connect();
    const receivedTitles = new Set<string>();
    client.on('notification', ({ payload = '' }) => {
      for (const id of (JSON.parse(payload) as { spaces: string[] }).spaces) receivedTitles.add(id);
    });
    await client.query('LISTEN taskgate_changes');
    await anna.patch(`/api/v2/todo/${task.id}`, { title: 'Heard of' });
    await until('the workspace is named', () => receivedTitles.has(busyStream.id));
    expect(receivedTitles).not.toContain(quietStream.id);
    // A new member was no member at the start of the operation.
    const ben = await signUp(service);
    receivedTitles.clear();
    await addMember(anna, busyStream.id, ben);
    await until('the workspace is named', () => receivedTitles.has(busyStream.id));
    await client.end();
  });

  test('refuse a token at once that another process has revoked, and end its connections', async () => {
    const other = await startAnother();
    const program = await makeProgram(service, anna);
    const headers = { Authorization: `Bearer ${program.token}` };
    const there = new Client(other.url);
    const statuses = async () => [
      (await there.get('/api/v2/todo', { headers })).status,
      (await there.post('/graphql', { query: '{ viewer { id } }' }, { headers })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    const socket = await Socket.ready(other.url, undefined, { headers });
    const changes = await EventStream.open(other, there, '/api/v2/events', headers);
    await anna.data('mutation ($id: ID!) { revokeAccessToken(id: $id) }', { id: program.tokenId });
    expect(await statuses()).toEqual([401, 401]);
    expect(await socket.closed).toMatchObject({ code: 4401 });
    expect(await changes.body).toContain('UNAUTHENTICATED');
    other.signal('SIGTERM');
    await other.ended;
  });

  test('carry change notifications over Redis', async () => {
    if (!redis) return console.warn('not tried: there is no redis-server on this machine');
    const variables = { REDIS_URL: redis.url };
    const [one, two] = [await startAnother(variables), await startAnother(variables)];
    const stream = await Stream.open(two, anna);
    for (let round = 0; round < 5; round += 1) {
      const { id } = await makeTask(new Client(one.url, anna.cookie));
      expect(await stream.take()).toMatchObject({ taskId: id });
    }
    // Without Redis the slow poll still finds every change.
    await redis.stop();
    const { id } = await makeTask(new Client(one.url, anna.cookie));
    expect(await stream.take()).toMatchObject({ taskId: id });
    for (const each of [one, two]) each.signal('SIGTERM');
    expect(await stream.socket.closed).toEqual({ code: 1001, reason: 'Going away' });
    expect(await Promise.all([one.ended, two.ended])).toEqual([0, 0]);
    for (const each of [one, two])
      expect(each.errors().match(/Redis does not carry change notifications/g)).toHaveLength(1);
  });

  test('lose nothing if all database connections are cut under open subscriptions', async () => {
    const replica = await Replica.open(service, anna);
    const stream = await Stream.open(service, anna);
    // Both have begun: a start is refused if its connection is cut.
    await makeTask(anna);
    await Promise.all([stream.take(), replica.untilCaughtUp()]);
    const cutConnections = () =>
      service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'taskgate'`);
    for (let round = 0; round < 3; round += 1) {
      await service.sql('UPDATE tasks SET title = $1 WHERE space_id = $2', [`round ${round}`, anna.id]);
      await cutConnections();
      await service.sql('UPDATE tasks SET reminder = $1 WHERE space_id = $2', [round % 2 === 0, anna.id]);
      await stream.take();
    }
    // A statement on a cut connection may fail. The next one opens another.
    await until('changes are served', async () => (await anna.get('/api/v2/changes')).status === 200);
    await replica.expectEqual();
    stream.close();
  });
});

test('a service that stops gives its subscribers the reason', async () => {
  const service = await startService();
  const anna = await signUp(service);
  const idle = await Socket.ready(service.url, anna.cookie);
  const stream = await Stream.open(service, anna);
  const events = await EventStream.open(service, anna, `/api/v2/events?after=${await cursorOfNow(anna)}`);
  await makeTask(anna);
  await Promise.all([stream.take(), events.take()]);
  const closing = service.close();
  expect(await Promise.all([idle.closed, stream.socket.closed])).toEqual([
    { code: 1001, reason: 'Going away' },
    { code: 1001, reason: 'Going away' },
  ]);
  expect(await events.take()).toMatchObject({ event: 'end', data: expect.stringContaining('GOING_AWAY') });
  await closing;
});

test('a client of GraphQL over SSE reconnects automatically when the service stops, and continues', async () => {
  const service = await startService();
  const stopped = await spawnService({ ...service.variables, LOG_LEVEL: 'warn' });
  const proxy = await FaultProxy.open(stopped.url ?? '');
  const anna = await signUp(service);
  const results = new Inbox<unknown>('a result of the subscription');
  let resolveBack = () => {};
  const untilBack = new Promise<void>((resolve) => (resolveBack = resolve));
  const client = createClient({
    url: `${new URL(proxy.url).origin}/graphql`,
    headers: { Cookie: anna.cookie ?? '' },
    retry: () => untilBack,
  });
  let after = await cursorOfNow(anna);
  client.subscribe<{ taskChanges: { cursor: string; taskId: string } }>(
    {
      query: 'subscription ($after: String) { taskChanges(after: $after) { cursor taskId } }',
      get variables() {
        return { after };
      },
    },
    {
      next(result) {
        after = result.data?.taskChanges.cursor ?? after;
        results.add(result.errors ?? result.data?.taskChanges.taskId);
      },
      error: (error) => results.add(error),
      complete: () => results.add('complete'),
    },
  );
  const { id } = await makeTask(anna);
  expect(await results.take()).toBe(id);
  stopped.signal('SIGTERM');
  await stopped.ended;
  const missed = await makeTask(anna);
  proxy.retarget(service.url);
  resolveBack();
  expect(await results.take()).toBe(missed.id);
  client.dispose();
  await proxy.close();
  await service.close();
});
