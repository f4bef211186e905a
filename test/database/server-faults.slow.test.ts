import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { healthLimits } from '../../packages/postgres/health.ts';
import { cursorOfNow, Stream } from '../changes/stream.ts';
import { advanceClock } from '../kit/clock.ts';
import { type LockHolder, lockSpaces, untilWaiting } from '../kit/locks.ts';
import { captureLog, type CapturedLog } from '../kit/log-lines.ts';
import { makeTask } from '../kit/make.ts';
import { scrape, withMetrics } from '../kit/metrics.ts';
import { OwnPostgres } from '../kit/own-postgres.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { withTimeout, until } from '../kit/until.ts';
import { expectAllRefused, expectAllServed, expectTwoLines, expectUnavailable } from './outage.ts';

describe('a database server', () => {
  let postgres: OwnPostgres;
  let service: Service;
  let anna: User;
  let log: CapturedLog;
  let held: LockHolder | undefined;

  beforeAll(async () => {
    log = captureLog();
    postgres = await OwnPostgres.start(undefined, { durable: true });
    service = await startService({ LOG_LEVEL: 'info' }, { databaseUrl: postgres.url });
    anna = await signUp(service);
  });
  beforeEach(() => {
    log.lines.length = 0;
  });
  afterEach(() => postgres.resume());
  afterAll(async () => {
    await service.close();
    await postgres.close();
    log.release();
  });

  const ways = {
    'that is stopped and goes on': { away: () => postgres.pause(), back: () => postgres.resume() },
    'that is killed and started again': { away: () => postgres.kill(), back: () => postgres.startAgain() },
  };

  test.each(Object.entries(ways))(
    '%s: requests are refused while it is unavailable, and served when it is back',
    async (_name, { away, back }) => {
      const stream = await Stream.open(service, anna, { after: await cursorOfNow(anna) });
      const before = await makeTask(anna);
      expect(await stream.take()).toMatchObject({ taskId: before.id });
      held = await lockSpaces(service, anna.id);
      const inFlight = anna.post('/api/v2/todo', { title: 'In flight' });
      await untilWaiting(service, 1);
      await away();
      expectUnavailable(await inFlight);
      await expectAllRefused(service, anna);
      await back();
      await held.release().catch(() => undefined);
      await expectAllServed(service, anna);
      // A refused write may exist only if it was in flight.
      let told = await stream.take();
      if (told.task?.title === 'In flight') told = await stream.take();
      expect(told).toMatchObject({ kind: 'CREATED', task: { title: 'Written in an outage' } });
      const after = await makeTask(anna);
      expect(await stream.take()).toMatchObject({ taskId: after.id });
      const all = (await anna.get<{ todos: { id: string }[] }>('/api/v2/todo')).body.todos;
      expect(all.map(({ id }) => id)).toEqual(expect.arrayContaining([before.id, after.id]));
      stream.close();
      expectTwoLines(log);
    },
  );

  test('that accepts no connections serves on open ones, and requests that need another are refused', async () => {
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
    await postgres.pausePostmaster();
    expect(await anna.post('/api/v2/todo', { title: 'x' })).toMatchObject({ status: 201 });
    const others = Array.from({ length: 60 }, () => anna.get('/api/v2/projects'));
    for (const answer of await Promise.all(others)) if (answer.status !== 200) expectUnavailable(answer);
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200 });
    await postgres.resume();
    await expectAllServed(service, anna);
  });
});

describe('a database without its synchronous standby', () => {
  let postgres: OwnPostgres;
  let service: Service;
  let anna: User;
  let ben: User;
  let log: CapturedLog;

  beforeAll(async () => {
    log = captureLog();
    postgres = await OwnPostgres.start(undefined, { durable: true });
    service = await startService({ LOG_LEVEL: 'info', ...withMetrics }, { databaseUrl: postgres.url });
    [anna, ben] = [await signUp(service), await signUp(service)];
  });
  afterAll(async () => {
    await service.close();
    await postgres.close();
    log.release();
  });

  const setStandby = async (name: string) => {
    await postgres.configure('synchronous_standby_names', name);
    await until('the setting is known', async () => {
      const [row] = await service.sql<{ name: string }>("SELECT current_setting('synchronous_standby_names') AS name");
      return row?.name === name;
    });
  };
  const untilCommitsWait = (count: number) =>
    until(`${count} commits wait`, async () => {
      const waiting = await service.sql(
        `SELECT DISTINCT pid FROM pg_stat_activity JOIN pg_locks USING (pid)
         WHERE wait_event = 'SyncRep' AND state_change < clock_timestamp() - interval '1 second'
           AND relation = 'tasks'::regclass AND mode = 'RowExclusiveLock'`,
      );
      return waiting.length === count;
    });
  const post = (user: User, title: string, key?: string) =>
    user.post<{ message: string }>('/api/v2/todo', { title }, { headers: key ? { 'Idempotency-Key': key } : {} });

  test('responds to writes of unknown outcome at a deadline, refuses further ones, and answers their keys once it is back', async () => {
    await setStandby('gone');
    const key = crypto.randomUUID();
    const sent = [post(anna, 'plain'), post(ben, 'keyed', key)];
    await untilCommitsWait(2);
    await service.services.connections.isReady();
    advanceClock(healthLimits.commitMs + 1);
    for (const answer of await withTimeout('both are answered', Promise.all(sent))) {
      expectUnavailable(answer);
      expect(answer.body.message).toMatch(/unknown: retry with the same Idempotency-Key to find out/);
    }
    await log.line({ msg: 'the database acknowledges no commits: a synchronous standby is gone' });
    expect((await scrape(service.url)).value('taskgate_database_writable')).toBe(0);
    const refused = await post(anna, 'refused');
    expectUnavailable(refused);
    expect(refused.body.message).not.toContain('unknown');
    expectUnavailable(
      await service.anonymous.post('/api/v1/user/signin', { email: ben.email, password: ben.password }),
    );
    expect(await anna.get('/api/v2/todo')).toMatchObject({ status: 200, body: { todos: [] } });
    await setStandby('');
    await log.line({ msg: 'the database acknowledges commits again' });
    expect((await scrape(service.url)).value('taskgate_database_writable')).toBe(1);
    const retried = await post(ben, 'keyed', key);
    expect([retried.status, retried.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    for (const [user, title] of [
      [anna, 'plain'],
      [ben, 'keyed'],
    ] as const) {
      expect((await user.get('/api/v2/todo')).body).toMatchObject({ todos: [{ title }] });
    }
  });
});
