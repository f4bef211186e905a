import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Stream } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { captureLog, type CapturedLog } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { expectUnavailable } from './outage.ts';

describe('a read-only database, such as a standby in a failover', () => {
  let service: Service;
  let anna: User;
  let log: CapturedLog;

  beforeAll(async () => {
    log = captureLog();
    service = await startService({ LOG_LEVEL: 'info', ...withMetrics });
    anna = await signUp(service);
  });
  afterAll(async () => {
    await service.close();
    log.release();
  });

  const serviceConnections = `datname = current_database() AND application_name LIKE 'taskgate%' AND application_name <> 'taskgate-test'`;

  /** Applies to new connections only. */
  const openReadOnly = (readOnly: boolean) =>
    service.sql(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = ${String(readOnly)}', current_database()); END $$`,
    );

  const countLines = (msg: string) => log.lines.filter((line) => line.msg === msg).length;

  test('serves reads and streams, refuses writes, and accepts them again once another server does', async () => {
    const task = await makeTask(anna);
    const stream = await Stream.open(service, anna);
    // The note of the session's last use is a write, so it is postponed.
    await service.sql("UPDATE sessions SET last_used_at = now() - interval '2 hours'");
    await openReadOnly(true);
    await service.sql(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE ${serviceConnections}`);
    await log.line({ msg: 'the database takes no writes' });

    for (let round = 0; round < 3; round += 1) {
      expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200, body: { todos: [{ id: task.id }] } });
      expect(await anna.data('{ tasks { nodes { id } } }')).toEqual({ tasks: { nodes: [{ id: task.id }] } });
      expectUnavailable(await anna.post('/api/v2/todo', { title: 'Not now' }));
      expectUnavailable(await anna.delete(`/api/v2/todo/${task.id}`));
      const { email, password } = anna;
      expectUnavailable(await service.anonymous.post('/api/v1/user/signin', { email, password }));
    }
    expect(await service.anonymous.get('/readyz')).toMatchObject({ status: 200 });
    const figures = await scrape(service.url);
    expect(figures.value('taskgate_database_available')).toBe(1);
    expect(figures.value('taskgate_database_writable')).toBe(0);

    // Existing connections lead to the former server, which stays read-only.
    await openReadOnly(false);
    await log.line({ msg: 'the database takes writes again' });
    const next = await makeTask(anna);
    expect(await stream.take()).toMatchObject({ taskId: next.id });
    expect(await service.sql("SELECT FROM sessions WHERE last_used_at > now() - interval '1 hour'")).toHaveLength(1);
    stream.close();
    expect([countLines('the database is unavailable'), countLines('the database takes no writes')]).toEqual([0, 1]);
    expect(countLines('the database is not available')).toBeLessThanOrEqual(1);
  });

  test('does not prevent a start', async () => {
    const task = await makeTask(anna);
    await openReadOnly(true);
    const started = await spawnService({ ...service.variables, HISTORY_RETENTION_DAYS: '7' });
    expect(started.errors()).toBe('');
    const client = new Client(started.url ?? '', anna.cookie);
    const todos = expect.arrayContaining([expect.objectContaining({ id: task.id })]);
    expect(await client.get('/api/v2/todo')).toMatchObject({ status: 200, body: { todos } });
    expectUnavailable(await client.post('/api/v2/todo', { title: 'Not now' }));
    await openReadOnly(false);
    await endServices('SIGTERM');
  });
});
