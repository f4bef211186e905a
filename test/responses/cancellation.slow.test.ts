import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sessionSettings } from '../../packages/postgres/postgres.ts';
import { loadOf } from '../../packages/work/load.ts';
import { Socket } from '../changes/stream.ts';
import { openLockHolder, type LockHolder, untilIdle, untilWaiting } from '../kit/locks.ts';
import { captureLog, type CapturedLog } from '../kit/log-lines.ts';
import { makeProject, makeTask } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

// Without these limits, only a cancellation ends the wait for a lock.
const limitedSettings = { ...sessionSettings };
Object.assign(sessionSettings, { lock_timeout: '0', statement_timeout: '0' });

let service: Service;
let anna: User;
let users: User[];
let cursor: string;
let lockHolder: LockHolder;
let log: CapturedLog;

beforeAll(async () => {
  service = await startService({ LOG_LEVEL: 'warn' });
  anna = await signUp(service);
  users = [anna, await signUp(service), await signUp(service), await signUp(service)];
  cursor = (await anna.data<{ changes: { cursor: string } }>('{ changes { cursor } }')).changes.cursor;
  await makeTask(anna);
  await makeProject(anna);
});
afterAll(async () => {
  Object.assign(sessionSettings, limitedSettings);
  await service.close();
});

beforeEach(async () => {
  log = captureLog();
  lockHolder = await openLockHolder(service);
  await lockHolder.sql('LOCK TABLE tasks IN ACCESS EXCLUSIVE MODE');
});
afterEach(async () => {
  log.release();
  await lockHolder.release();
});

const untilNoQueryRuns = () => until('no query runs', () => loadOf('queries').running === 0);

function startRequest(user: User, path: string, body?: unknown) {
  const client = new AbortController();
  const answer = fetch(`${service.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Cookie: user.cookie ?? '', 'Content-Type': 'application/json' },
    signal: client.signal,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  answer.catch(() => undefined);
  return { answer, hangUp: () => client.abort() };
}

const reads: [string, (user: User) => ReturnType<typeof startRequest>][] = [
  ['the list of tasks', (user) => startRequest(user, '/api/v2/todo')],
  ['a filtered list', (user) => startRequest(user, '/api/v2/todo?completed=false')],
  ['a search', (user) => startRequest(user, '/api/v2/todo/search?q=milk')],
  ['a poll of changes', (user) => startRequest(user, `/api/v2/changes?after=${cursor}`)],
  ['an export', (user) => startRequest(user, '/api/v2/export')],
  ['a query', (user) => startRequest(user, '/graphql', { query: '{ tasks { nodes { id children { id } } } }' })],
  [
    'a count',
    (user) => startRequest(user, '/graphql', { query: '{ projects { id tasks(first: 0) { totalCount } } }' }),
  ],
];

describe('a client that hangs up', () => {
  test.each(reads)('makes PostgreSQL cancel its read: %s', async (_label, read) => {
    const { hangUp } = read(anna);
    await untilWaiting(service, 1);
    hangUp();
    await untilIdle(service);
    await untilNoQueryRuns();
    expect(log.lines).toEqual([]);
  });

  test('leaves the database idle, however often it happens', async () => {
    for (let round = 0; round < 4; round += 1) {
      const requests = users.flatMap((user) => Array.from({ length: 25 }, () => startRequest(user, '/api/v2/todo')));
      await untilWaiting(service, 2 * users.length);
      for (const { hangUp } of requests) hangUp();
    }
    await untilIdle(service);
    expect(await users[1]?.data('{ tagCount }')).toEqual({ tagCount: 0 });
    await untilNoQueryRuns();
  });

  test.each<[string, (socket: Socket) => void]>([
    ['closes its WebSocket', (socket) => socket.close()],
    ['completes the operation', (socket) => socket.send({ type: 'complete', id: '1' })],
  ])('makes PostgreSQL cancel a query over WebSocket: %s', async (_label, end) => {
    const socket = await Socket.ready(service.url, anna.cookie);
    socket.send({ type: 'subscribe', id: '1', payload: { query: '{ tasks { nodes { id } } }' } });
    await untilWaiting(service, 1);
    end(socket);
    await untilIdle(service);
    socket.close();
  });

  test('does not stop a write that has begun', async () => {
    const title = 'written for nobody';
    const { hangUp } = startRequest(anna, '/api/v2/todo', { title });
    await untilWaiting(service, 1);
    hangUp();
    // The service has noticed, because it has read a later request.
    const later = startRequest(anna, '/api/v2/todo');
    await untilWaiting(service, 2);
    later.hangUp();
    await lockHolder.release();
    await untilIdle(service);
    expect(await service.sql('SELECT title FROM tasks WHERE title = $1', [title])).toEqual([{ title }]);
  });
});
