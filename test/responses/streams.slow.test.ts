import { get, type IncomingMessage } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { loadOf } from '../../packages/work/load.ts';
import { listPolicy } from '../../src/tasks/stream-turns.ts';
import { advanceClock } from '../kit/clock.ts';
import { type ListedTask, makeProject, makeSection, makeTag, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { fill } from '../kit/tasks.ts';
import { closeOf, nextConnection } from '../kit/sockets.ts';
import { signInAgain, signUp, type User } from '../kit/users.ts';
import { until } from '../kit/until.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'off' }, { http: { checkMs: 50 } });
});
afterAll(() => service.close());

const mostWhole = 2000;

const isStreamed = (headers: Headers) => headers.get('content-length') === null;

const begin = (user: User, path: string) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    get(`${service.url}${path}`, { headers: { Cookie: user.cookie }, agent: false }, resolve).on('error', reject);
  });

const ask = (user: User) => {
  const options = { headers: { Cookie: user.cookie }, agent: false };
  // Without a listener, Node would read it.
  return get(`${service.url}/api/v2/todo?completed=false`, options, () => undefined).on('error', () => undefined);
};

async function takeAll(answer: IncomingMessage): Promise<boolean> {
  const closed = new Promise((resolve) => answer.once('close', resolve).on('error', () => {}));
  // A response with little data may be closed already.
  if (!answer.closed) {
    answer.resume();
    await closed;
  }
  return answer.complete;
}

const cursorsAre = (count: number) =>
  until(`${count} cursors are open`, async () => {
    const [row] = await service.sql<{ count: number }>(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'taskgate' AND xact_start IS NOT NULL
         AND query LIKE 'FETCH%'`,
    );
    return row?.count === count;
  });

describe('a streamed list', () => {
  test('equals the list that is made as a whole, byte for byte', async () => {
    const user = await signUp(service);
    // Larger than the limit with their trees, and smaller without them.
    await fill(service, user, mostWhole - 50, { levels: 10, description: 'x'.repeat(1000) });
    const [parent, tag] = [await makeTask(user), await makeTag(user)];
    const child = await makeTask(user, { parentId: parent.id, tags: [tag.id], title: '"ü🦊\n' });
    await makeTask(user, { parentId: child.id, priority: 'high', dueDate: '2027-01-02' });
    await makeTask(user, { parentId: parent.id });
    const whole = await user.get('/api/v2/todo');
    const streamed = await user.get('/api/v2/todo?completed=false');
    expect([isStreamed(whole.headers), isStreamed(streamed.headers)]).toEqual([false, true]);
    expect(JSON.stringify(streamed.body)).toBe(JSON.stringify(whole.body));
    expect(streamed.headers.get('content-type')).toBe(whole.headers.get('content-type'));
  });

  test('can consist of one tree, however large', async () => {
    const user = await signUp(service);
    const parent = await makeTask(user, { title: 'parent' });
    await fill(service, user, mostWhole + 1);
    await service.sql('UPDATE tasks SET parent_id = $2 WHERE space_id = $1 AND id <> $2', [user.id, parent.id]);
    const { body } = await user.get<{ todos: ListedTask[] }>('/api/v2/todo?completed=false');
    expect(body.todos).toHaveLength(mostWhole + 2);
    const titles = body.todos.find(({ id }) => id === parent.id)?.children.map(({ title }) => title);
    expect(titles).toEqual(Array.from({ length: mostWhole + 1 }, (_, n) => `task ${n + 1}`));
  });

  test('with completed=true has the last completed task first', async () => {
    const user = await signUp(service);
    await fill(service, user, mostWhole + 1);
    await service.sql(
      `UPDATE tasks SET completed = true, completed_at = '2026-01-01'::timestamptz + right(id, 8)::int * interval '1 s'
       WHERE space_id = $1`,
      [user.id],
    );
    const { body } = await user.get<{ todos: ListedTask[] }>('/api/v2/todo?completed=true');
    expect(body.todos.map(({ title }) => title)).toEqual(
      Array.from({ length: mostWhole + 1 }, (_, n) => `task ${mostWhole + 1 - n}`),
    );
  });

  test('of sections has each with its tasks, also sections without tasks', async () => {
    const user = await signUp(service);
    const project = await makeProject(user);
    const sections = [];
    for (let count = 0; count < 4; count += 1) sections.push(await makeSection(user, project.id));
    const [, second, third] = sections;
    const filling = { projectId: project.id, levels: 3 };
    await fill(service, user, mostWhole + 1, { ...filling, sectionId: second?.id ?? '' });
    const task = await makeTask(user, { projectId: project.id, projectSectionId: third?.id });
    const { body, headers } = await user.get<{ sections: { todos: ListedTask[] }[] }>(
      `/api/v2/projects/${project.id}/sections`,
    );
    expect(isStreamed(headers)).toBe(true);
    expect(body.sections.map(({ todos, ...section }) => [section, todos.length])).toEqual(
      sections.map((section, index) => [section, [0, mostWhole + 1, 1, 0][index]]),
    );
    const all = (await user.get<{ todos: ListedTask[] }>('/api/v2/todo')).body.todos;
    expect(body.sections[1]?.todos).toEqual(all.filter(({ id }) => id !== task.id));
  });

  test('is not sent again to a client with its ETag', async () => {
    const user = await signUp(service);
    await fill(service, user, mostWhole + 1);
    const first = await user.get('/api/v2/todo?completed=false');
    const held = { headers: { 'If-None-Match': first.headers.get('etag') ?? '' } };
    expect(await user.get('/api/v2/todo?completed=false', held)).toMatchObject({ status: 304, body: '' });
    await makeTask(user);
    expect(await user.get('/api/v2/todo?completed=false', held)).toMatchObject({ status: 200 });
  });

  test('is not read further if the client hangs up', async () => {
    const user = await signUp(service);
    await fill(service, user, 20_000, { levels: 10 });
    const answers = await Promise.all([0, 1].map(() => begin(user, '/api/v2/todo?completed=false')));
    await cursorsAre(2);
    for (const answer of answers) answer.destroy();
    await cursorsAre(0);
    expect(await user.data('{ tagCount }')).toEqual({ tagCount: 0 });
  });

  test('is cut off, not ended, if it cannot be read further', async () => {
    const user = await signUp(service);
    await fill(service, user, 20_000, { levels: 10 });
    const answer = await begin(user, '/api/v2/todo?completed=false');
    await cursorsAre(1);
    await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'FETCH%' AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
    );
    const failed = new Promise<Error>((resolve) => answer.once('error', resolve));
    answer.resume();
    expect(await failed).toMatchObject({ code: 'ECONNRESET' });
    expect(answer.complete).toBe(false);
    expect(await user.data('{ tagCount }')).toEqual({ tagCount: 0 });
  });

  test('is refused in JSON if it cannot begin', async () => {
    const user = await signUp(service);
    await fill(service, user, mostWhole + 1);
    const connecting = jest.spyOn(service.services.connections.cursorPool, 'connect');
    connecting.mockRejectedValueOnce(new Error('timeout exceeded when trying to connect') as never);
    const refused = await user.get('/api/v2/todo?completed=false');
    expect(connecting).toHaveBeenCalledTimes(1);
    connecting.mockRestore();
    expect(refused).toMatchObject({ status: 503, body: { code: 'UNAVAILABLE' } });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await user.get('/api/v2/todo?completed=false')).toMatchObject({ status: 200 });
  });

  test('is read only as fast as the client reads, and cut off if the client reads nothing for too long', async () => {
    const user = await signUp(service);
    await fill(service, user, 20_000, { levels: 10 });
    const connection = nextConnection();
    const answer = await begin(user, '/api/v2/todo?completed=false');
    const socket = await connection;
    await until('the socket has more to write than the client takes', () => socket.writableLength > 0);
    let most = 0;
    for (; !socket.destroyed; await turn()) {
      most = Math.max(most, socket.writableLength);
      advanceClock(1_000);
    }
    jest.restoreAllMocks();
    // One or two batches. The whole list has 40 MB.
    expect(most).toBeLessThan(2 * 1024 * 1024);
    await cursorsAre(0);
    expect(await takeAll(answer)).toBe(false);
  });

  test.each(['/api/v2/todo?completed=false', '/api/v2/export'])('%s is cut off when its session ends', async (path) => {
    const user = await signUp(service);
    // More than the buffers of a connection hold.
    await fill(service, user, 4_000, { description: 'x'.repeat(16_000) });
    const other = await signInAgain(service, user);
    const connection = nextConnection();
    const answer = await begin(other, path);
    const socket = await connection;
    const closed = closeOf(socket);
    await user.data('mutation { endOtherSessions }');
    await closed;
    await cursorsAre(0);
    expect(await takeAll(answer)).toBe(false);
  });

  test('is sent to as many slow readers of seven accounts as allowed, while another account gets an export', async () => {
    const hostile = await Promise.all([1, 2, 3, 4, 5, 6, 7].map(() => signUp(service)));
    const [owner, ...members] = hostile as [User, ...User[]];
    const { id: workspaceId } = await makeWorkspace(owner, ...members);
    const { id: projectId } = await makeProject(owner, { workspaceId });
    await fill(service, { id: workspaceId }, 2 * mostWhole, { description: 'x'.repeat(16_000), projectId });
    const requests = hostile.flatMap((user) => Array.from({ length: listPolicy.slotsPerKey + 1 }, () => ask(user)));
    await until('all others are taken', () => loadOf('lists').running + loadOf('lists').waiting === requests.length);
    expect(loadOf('lists')).toEqual({ running: 14, waiting: 7 });
    const other = await signUp(service);
    expect(await other.get('/api/v2/export')).toMatchObject({ status: 200, body: { user: { id: other.id } } });
    expect(loadOf('lists')).toEqual({ running: 14, waiting: 7 });
    for (const request of requests) request.destroy();
    await cursorsAre(0);
  });

  test('waits for its turn, and delays neither others nor small lists', async () => {
    const user = await signUp(service);
    await fill(service, user, 20_000, { levels: 10 });
    const path = '/api/v2/todo?completed=false';
    const answers = await Promise.all(Array.from({ length: listPolicy.slotsPerKey }, () => begin(user, path)));
    const waiting = begin(user, path);
    await until('one list waits', () => loadOf('lists').waiting === 1);
    expect(await user.get('/api/v2/todo?completed=true')).toMatchObject({ status: 200, body: { todos: [] } });
    const other = await signUp(service);
    await fill(service, other, mostWhole + 1);
    expect(await other.get(path)).toMatchObject({ status: 200 });
    answers[0]?.destroy();
    expect(await waiting).toMatchObject({ statusCode: 200 });
    for (const answer of [...answers, await waiting]) answer.destroy();
    await until('no list runs or waits', () => loadOf('lists').running + loadOf('lists').waiting === 0);
  });
});
