import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { EventStream } from '../changes/sse.ts';
import { cursorOfNow, Stream } from '../changes/stream.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { type LockHolder, openLockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { captureLog, type CapturedLog } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import {
  unavailableMessage,
  backLine,
  expectAllRefused,
  expectAllServed,
  expectTwoLines,
  expectUnavailable,
} from './outage.ts';
import { until, untilReady } from '../kit/until.ts';

let proxy: FaultProxy;
let service: Service;
let anna: User;
let log: CapturedLog;
let lockHolder: LockHolder | undefined;

beforeAll(async () => {
  const databaseUrl = await createTestDatabase();
  proxy = await FaultProxy.open(databaseUrl);
  log = captureLog();
  service = await startService({ LOG_LEVEL: 'info', ...withMetrics }, { databaseUrl, serviceDatabaseUrl: proxy.url });
  anna = await signUp(service);
});
beforeEach(() => {
  log.lines.length = 0;
});
afterEach(async () => {
  await proxy.set({ mode: 'ok' });
  await lockHolder?.release();
  lockHolder = undefined;
  await untilReady(service);
});
afterAll(async () => {
  await service.close();
  await proxy.close();
  log.release();
});

const faults = [
  ['refuses connections', 'down'],
  ['resets connections', 'reset'],
  ['swallows what is sent', 'blackhole'],
] as const;

describe.each(faults)('a database that %s', (_label, mode) => {
  test('is unavailable: requests in flight and new ones are refused, and everything continues when it is back', async () => {
    lockHolder = await lockSpaces(service, anna.id);
    const inFlight = [anna.post('/api/v2/todo', { title: 'x' }), anna.delete(`/api/v2/todo/bulk?todoIds=x`)];
    await untilWaiting(service, 1);
    await proxy.set({ mode });
    for (const answer of await Promise.all(inFlight)) expectUnavailable(answer);
    await expectAllRefused(service, anna);
    await lockHolder.release();
    await proxy.set({ mode: 'ok' });
    await expectAllServed(service, anna);
    expectTwoLines(log);
  });

  test('ends no stream: each continues with the changes in between, without a gap', async () => {
    const socket = await Stream.open(service, anna);
    const events = await EventStream.open(service, anna, `/api/v2/events?after=${await cursorOfNow(anna)}`);
    const first = await makeTask(anna);
    expect(await socket.take()).toMatchObject({ taskId: first.id });
    await proxy.set({ mode });
    await log.line({ msg: unavailableMessage });
    await service.sql("UPDATE tasks SET title = 'Changed beside' WHERE id = $1", [first.id]);
    await proxy.set({ mode: 'ok' });
    await log.line({ msg: backLine });
    const second = await makeTask(anna);
    expect(await socket.takeMany(2)).toMatchObject([{ task: { title: 'Changed beside' } }, { taskId: second.id }]);
    const changes = [await events.take(), await events.take(), await events.take()];
    expect(changes.map(({ data = '' }) => (JSON.parse(data) as { taskId: string }).taskId)).toEqual([
      first.id,
      first.id,
      second.id,
    ]);
    socket.close();
    events.close();
    expectTwoLines(log);
  });

  test('ends no stream that is just about to send a change', async () => {
    const task = await makeTask(anna);
    const after = await cursorOfNow(anna);
    const [socket, events] = await Promise.all([
      Stream.open(service, anna, { after }),
      EventStream.open(service, anna, `/api/v2/events?after=${after}`),
    ]);
    lockHolder = await openLockHolder(service);
    await lockHolder.sql('LOCK TABLE task_tags');
    await service.sql("UPDATE tasks SET title = 'Told late' WHERE id = $1", [task.id]);
    await untilWaiting(service, 1);
    await proxy.set({ mode });
    await log.line({ msg: unavailableMessage });
    await lockHolder.release();
    expectUnavailable(await anna.get('/api/v2/todo'));
    await proxy.set({ mode: 'ok' });
    expect(await socket.take()).toMatchObject({ taskId: task.id, task: { title: 'Told late' } });
    expect(await events.take()).toMatchObject({ event: 'task', data: expect.stringContaining('Told late') });
    socket.close();
    events.close();
  });
});

describe('a database that answers', () => {
  /** Waits until the service has probed the database again, `times` times. */
  async function untilProbed(times: number) {
    const lastProbe = async () => {
      const [row] = await service.sql<{ at: string | null }>(
        `SELECT max(query_start)::text AS at FROM pg_stat_activity
         WHERE datname = current_database() AND application_name = 'taskgate-health'`,
      );
      return row?.at;
    };
    for (let count = 0; count < times; count += 1) {
      const before = await lastProbe();
      await until('the probe looks again', async () => (await lastProbe()) !== before);
    }
  }

  test('is not unavailable because of a slow statement', async () => {
    lockHolder = await lockSpaces(service, anna.id);
    const long = anna.post('/api/v2/todo', { title: 'Waits' });
    await untilWaiting(service, 1);
    await untilProbed(4);
    await lockHolder.release();
    expect(await long).toMatchObject({ status: 201 });
    expect(log.lines.filter(({ msg }) => msg === unavailableMessage)).toEqual([]);
  });

  test('is not unavailable if it ends all connections: later requests get new ones', async () => {
    await service.sql(
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'taskgate%' AND application_name <> 'taskgate-test'`,
    );
    await untilProbed(2);
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
    expect(log.lines.filter(({ msg }) => msg === unavailableMessage)).toEqual([]);
  });

  test('has a committed write even if the client got no confirmation: 503, not 201', async () => {
    // New connections have no prepared statements, so the statement contains its text.
    proxy.killAll();
    await untilProbed(2);
    await until('the list is served', async () => (await anna.get('/api/v2/todo')).status === 200);
    await proxy.set({ loseResponseTo: /INSERT INTO tasks/ });
    expectUnavailable(await anna.post('/api/v2/todo', { title: 'Not acknowledged' }));
    await proxy.set({ mode: 'ok' });
    expect(await service.sql("SELECT FROM tasks WHERE title = 'Not acknowledged'")).toHaveLength(1);
  });
});

test('metrics say whether the database is unavailable', async () => {
  expect((await scrape(service.url)).value('taskgate_database_available')).toBe(1);
  await proxy.set({ mode: 'down' });
  await log.line({ msg: unavailableMessage });
  expect((await scrape(service.url)).value('taskgate_database_available')).toBe(0);
});
