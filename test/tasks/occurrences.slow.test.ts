import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { makeTask } from '../kit/make.ts';
import { endServices, spawnService } from '../kit/process.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import * as repeating from './repeating.ts';

const { makeRepeating, nextIdOf, occurrencesOf, openOccurrence, reload, siblings, updateMany } = repeating;

const variables = { SESSION_SECRET: 'a secret of two processes', RATE_LIMITS: 'off' };
let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService(variables);
  anna = await signUp(service);
});
afterEach(() => endServices('SIGKILL'));
afterAll(() => service.close());

async function startOther(databaseUrl: string) {
  const other = await spawnService({ ...service.variables, ...variables, DATABASE_URL: databaseUrl });
  if (other.url === undefined) throw new Error(other.errors());
  return { ...other, url: other.url, anna: new Client(other.url, anna.cookie) };
}

const input = 'input: { completed: true }';
/** Completes a task by one of four calls. */
function complete(call: number, client: Client, id: string): Promise<{ status: number; body: unknown }> {
  if (call % 4 === 0) return client.patch(`/api/v2/todo/${id}`, { completed: true });
  if (call % 4 === 1) return client.patch(`/api/v2/todo/bulk?todoIds=${id}`, { completed: true });
  const field =
    call % 4 === 2 ? `updateTask(id: "${id}", ${input}) { id }` : `updateTasks(ids: ["${id}"], ${input}) { count }`;
  return client.post('/graphql', { query: `mutation { ${field} }` });
}

describe('many completions at once', () => {
  test.each([
    ['of one occurrence', 1],
    ['of each of three', 3],
  ])('%s, through four calls and two processes, make one next occurrence', async (_name, count) => {
    const other = await startOther(service.databaseUrl);
    const clients = [anna, other.anna];
    const tasks = [];
    for (let index = 0; index < count; index += 1) {
      const task = await makeRepeating(anna);
      const child = await makeTask(anna, { parentId: task.id });
      tasks.push({ task, child, deep: await makeTask(anna, { parentId: child.id }) });
    }
    const answers = await Promise.all(
      tasks.flatMap(({ task }) =>
        Array.from({ length: 40 }, (_, index) => complete(index, clients[(index >> 2) % 2] ?? anna, task.id)),
      ),
    );
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, body: expect.not.objectContaining({ errors: expect.anything() }) });
    }
    for (const { task, child, deep } of tasks) {
      expect(await occurrencesOf(anna, task)).toMatchObject([
        { id: task.id, completed: true },
        { id: nextIdOf(task.id), completed: false },
      ]);
      expect(await siblings(anna, { parentId: nextIdOf(task.id) })).toMatchObject([
        { id: nextIdOf(child.id), completed: false },
      ]);
      expect(await siblings(anna, { parentId: nextIdOf(child.id) })).toMatchObject([{ id: nextIdOf(deep.id) }]);
    }
  });

  test('and openings leave one open occurrence, and no request fails', async () => {
    const other = await startOther(service.databaseUrl);
    const task = await makeRepeating(anna);
    await makeTask(anna, { parentId: task.id });
    for (let round = 0; round < 10; round += 1) {
      const series = await occurrencesOf(anna, task);
      const ids = series.map(({ id }) => id);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => {
          const client = index % 2 === 0 ? anna : other.anna;
          const id = ids[index % ids.length] ?? task.id;
          if (index % 3 === 0) return client.patch(`/api/v2/todo/${id}`, { completed: true });
          if (index % 3 === 1) return client.patch(`/api/v2/todo/bulk?todoIds=${ids.join()}`, { completed: false });
          return client.patch(`/api/v2/todo/${id}`, { completed: index % 4 === 0, title: `round ${round}` });
        }),
      );
      for (const { status } of answers) expect([200, 404]).toContain(status);
      const open = (await occurrencesOf(anna, task)).filter(({ completed }) => !completed);
      expect(open.length).toBeLessThanOrEqual(1);
      if (open.length === 0) return;
    }
  });
});

test('a kill at any step of a completion leaves the completion and the next occurrence, or neither', async () => {
  const proxy = await FaultProxy.open(service.databaseUrl);
  const outcomes = new Set<boolean>();
  // A completion has about ten packets.
  for (let packets = 1; packets <= 14; packets += 1) {
    const task = await makeRepeating(anna);
    const child = await makeTask(anna, { parentId: task.id });
    const other = await startOther(proxy.url);
    // The first request opens connections.
    await other.anna.get('/api/v2/todo');
    await proxy.set({ latencyMs: 20 });
    const ended = complete(packets, other.anna, task.id).catch(() => undefined);
    for (let count = 0; count < packets; count += 1) await Promise.race([proxy.nextActivity(), ended]);
    other.signal('SIGKILL');
    await other.ended;
    await ended;
    await proxy.set({});
    // A process of PostgreSQL may still have a statement to read.
    const backends = `SELECT FROM pg_stat_activity WHERE ${proxy.isOfBackend}`;
    await until('its connections have ended', async () => (await service.sql(backends)).length === 0);
    const isCompleted = (await reload(anna, task.id))?.completed === true;
    outcomes.add(isCompleted);
    const next = isCompleted ? [nextIdOf(task.id)] : [];
    expect((await occurrencesOf(anna, task)).map(({ id }) => id)).toEqual([task.id, ...next]);
    expect(await reload(anna, child.id)).toMatchObject({ completed: isCompleted });
    expect((await reload(anna, nextIdOf(child.id)))?.parentId).toBe(next[0]);
  }
  // Otherwise the kills came too early or too late.
  expect(outcomes.size).toBe(2);
  await proxy.close();
});

test.each([
  ['without a further date', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', '2044-02-29', '2040-01-01', 0],
  ['with one in nineteen years', 'FREQ=YEARLY;INTERVAL=19', '2044-03-01', '2044-03-01', 1000],
  ['after three hundred years', 'FREQ=DAILY', '1726-01-01', '1726-01-01', 1000],
])('a thousand completions %s in one request let others have their turn', async (_name, rule, date, start, made) => {
  const [carla, ben] = [await signUp(service), await signUp(service)];
  const task = await makeRepeating(carla, { rule, start }, { dueDate: date });
  await service.sql(
    `INSERT INTO tasks (id, space_id, project_id, title, sort_key, due_date, is_all_day, recurrence)
     SELECT id, space_id, project_id, title, 'b' || lpad(n::text, 4, '0'), due_date, true,
       recurrence || jsonb_build_object('seriesId', overlay(id placing 'seri' from 1 for 4), 'number', n)
     FROM generate_series(1, 999) AS n
     CROSS JOIN LATERAL (SELECT left($1, -16) || lpad(n::text, 4, '0') || right($1, 12) AS id) AS fresh
     CROSS JOIN (SELECT space_id, project_id, title, due_date, recurrence FROM tasks WHERE id = $1) AS task`,
    [task.id],
  );
  const rows = await service.sql<{ id: string }>('SELECT id FROM tasks WHERE space_id = $1', [carla.id]);
  const ids = rows.map(({ id }) => id);
  const turns = jest.spyOn(service.services.turns, 'next');
  const request = { isDone: false };
  const completing = updateMany(carla, ids, { completed: true }).finally(() => (request.isDone = true));
  let answered = 0;
  for (; !request.isDone; answered += 1) {
    expect(await ben.get(`/api/v2/todo?limit=${answered + 1}`)).toMatchObject({ status: 200 });
  }
  expect(await completing).toBe(1000);
  const taken = turns.mock.calls.filter(([key]) => key === carla.id).length;
  turns.mockRestore();
  expect(taken).toBeGreaterThan(5);
  expect(answered).toBeGreaterThan(5);
  const found = await service.sql('SELECT FROM tasks WHERE space_id = $1 AND NOT completed', [carla.id]);
  expect(found).toHaveLength(made);
  if (made > 0) expect((await openOccurrence(carla, task)).id).toBe(nextIdOf(task.id));
});
