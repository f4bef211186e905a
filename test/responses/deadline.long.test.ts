import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sessionSettings } from '../../packages/postgres/postgres.ts';
import { writePolicy } from '../../packages/postgres/queues.ts';
import { loadOf } from '../../packages/work/load.ts';
import { Socket, Stream } from '../changes/stream.ts';
import { openLockHolder, type LockHolder, untilIdle, untilWaiting } from '../kit/locks.ts';
import { makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';

// Without these limits, only a cancellation ends the wait for a lock.
const limitedSettings = { ...sessionSettings };
Object.assign(sessionSettings, { lock_timeout: '0', statement_timeout: '0' });

let service: Service;
let anna: User;
let lockHolder: LockHolder;
beforeAll(async () => {
  service = await startService({ OPERATION_TIMEOUT_MS: '500' });
  anna = await signUp(service);
  await makeTask(anna);
});
afterAll(async () => {
  Object.assign(sessionSettings, limitedSettings);
  await service.close();
});

beforeEach(async () => {
  lockHolder = await openLockHolder(service);
});
afterEach(() => lockHolder.release());

/** Waits until a query has met its deadline. Earlier ones have, too. */
async function untilDeadline() {
  const preferences = await openLockHolder(service);
  await preferences.sql('LOCK TABLE preferences IN ACCESS EXCLUSIVE MODE');
  const query = '{ viewer { preferences { timeZone } } }';
  expect(await anna.post('/graphql', { query })).toMatchObject({ status: 503 });
  await preferences.release();
}

const holdTasks = () => lockHolder.sql('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');

describe('a query whose deadline passes', () => {
  test.each(['/api/v2/todo', '/api/v2/todo/search?q=milk', '/api/v2/todo?completed=true'])(
    'responds with 503, and PostgreSQL cancels its read: %s',
    async (path) => {
      await holdTasks();
      const { status, headers, body } = await anna.get(path);
      expect({ status, body }).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      await untilIdle(service);
    },
  );

  test('is reported over GraphQL and over WebSocket', async () => {
    await holdTasks();
    const query = '{ tasks { nodes { id title } } }';
    const httpResult = await anna.post('/graphql', { query });
    expect(httpResult).toMatchObject({ status: 503, body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } });
    const socket = await Socket.ready(service.url, anna.cookie);
    expect(await socket.run(query)).toMatchObject({ payload: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } });
    await untilIdle(service);
    socket.close();
  });
});

test('a query whose statement fails at an unreachable database has the same response as one without a statement', async () => {
  await holdTasks();
  const answer = anna.post('/graphql', { query: '{ tasks { nodes { id } } }' });
  await untilWaiting(service, 1);
  await service.sql(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                     WHERE application_name = 'taskgate' AND datname = current_database() AND wait_event_type = 'Lock'`);
  const { status, body } = await answer;
  expect({ status, body }).toMatchObject({ status: 503, body: { errors: [{ extensions: { code: 'UNAVAILABLE' } }] } });
  expect(body).not.toHaveProperty('data');
});

describe('a mutation whose deadline passes', () => {
  test('while it waits for its turn is refused, and has not happened', async () => {
    await lockHolder.sql('SELECT lock_spaces($1)', [[anna.id]]);
    const runningWrites = Array.from({ length: writePolicy.slotsPerResource }, () =>
      makeTask(anna, { title: 'begun' }),
    );
    await untilWaiting(service, writePolicy.slotsPerResource);
    expect(await anna.post('/api/v2/todo', { title: 'refused' })).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE' },
    });
    expect(loadOf('writes').waiting).toBe(0);
    await lockHolder.release();
    await Promise.all(runningWrites);
    expect(await service.sql(`SELECT title FROM tasks WHERE title IN ('begun', 'refused')`)).toEqual([
      { title: 'begun' },
      { title: 'begun' },
    ]);
  });

  test('when it has begun is answered with its outcome', async () => {
    await lockHolder.sql('SELECT lock_spaces($1)', [[anna.id]]);
    const lateWrite = anna.post('/api/v2/todo', { title: 'late' });
    await untilWaiting(service, 1);
    await untilDeadline();
    await lockHolder.release();
    expect(await lateWrite).toMatchObject({ status: 201 });
  });
});

test('a subscription has no deadline', async () => {
  const stream = await Stream.open(service, anna);
  await untilDeadline();
  const { id } = await makeTask(anna);
  expect(await stream.changes.take()).toMatchObject({ kind: 'CREATED', taskId: id });
  stream.socket.close();
});
