import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { findEndedPeriod } from '../../src/changes/log/data.ts';
import { pruneChanges } from '../../src/changes/log/prune.ts';
import { withWrongClock } from '../kit/clock.ts';
import { makeProject, makeTask, makeWorkspace } from '../kit/make.ts';
import { type Service, startService } from '../kit/service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';
import { days, endPeriod, passHour, passPeriods } from './periods.ts';
import { cursorOfNow, poll, Stream } from './stream.ts';

const day = 24 * 3_600_000;

let service: Service;
let anna: User;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** A user with an empty log: the sign-up has logged the inbox. */
async function signUpWithoutLog(): Promise<User> {
  const user = await signUp(service);
  await service.sql('DELETE FROM changes WHERE space_id = $1', [user.id]);
  await service.sql('UPDATE spaces SET log_start = revision, log_start_nonce = history_nonce WHERE id = $1', [user.id]);
  return user;
}

const rows = async () => (await service.sql('SELECT FROM changes WHERE space_id = $1', [anna.id])).length;
const query = 'query ($after: String) { changes(after: $after) { cursor } }';
const isExpired = { errors: [{ extensions: { code: 'CURSOR_EXPIRED' } }] };

async function open(...statements: string[]): Promise<() => Promise<void>> {
  const client = new pg.Client(service.databaseUrl);
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  for (const statement of statements) await client.query(statement);
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

describe('retention of the change log', () => {
  test('deletes a period after two others: earlier cursors expire over every transport, and later ones continue', async () => {
    anna = await signUpWithoutLog();
    const first = await cursorOfNow(anna);
    await makeTask(anna);
    await makeTask(anna);
    await passPeriods(service, 2);
    expect((await poll(anna, first)).nodes).toHaveLength(2);
    const kept = await cursorOfNow(anna);
    const { id } = await makeTask(anna);
    await passPeriods(service, 1);
    expect(await rows()).toBe(1);
    expect((await poll(anna, kept)).nodes).toMatchObject([{ taskId: id }]);
    expect(await anna.graphql(query, { after: first })).toMatchObject(isExpired);
    expect(await anna.get(`/api/v2/changes?after=${first}`)).toMatchObject({ status: 400 });
    const stream = await Stream.open(service, anna, { after: first });
    expect(await stream.ended).toBe('CURSOR_EXPIRED');
    stream.close();
  });

  test("uses the database's clock even if the clock of the process is wrong", async () => {
    await passPeriods(service, 1);
    expect(await withWrongClock(8 * day, () => findEndedPeriod(service.services.connections, days))).toBeUndefined();
    await endPeriod(service);
    expect(await withWrongClock(-8 * day, () => findEndedPeriod(service.services.connections, days))).toBeDefined();
  });

  test("waits for no writer: other spaces begin later at once, and the writer's space when the writer is done", async () => {
    const [held, others] = [await signUp(service), await signUp(service)];
    anna = held;
    await passPeriods(service, 2);
    await endPeriod(service);
    const end = await open(`UPDATE spaces SET revision = revision WHERE id = '${held.id}'`);
    const startOf = async ({ id }: User) =>
      (await service.sql<{ start: number }>('SELECT log_start::int AS start FROM spaces WHERE id = $1', [id]))[0]
        ?.start;
    const pruned = pruneChanges(service.services.connections, days);
    await until('the others begin later', async () => (await startOf(others)) !== 0);
    await makeTask(others);
    expect(await startOf(held)).toBe(0);
    await end();
    await pruned;
    expect(await startOf(held)).toBeGreaterThan(0);
    expect(await rows()).toBe(1);
    await passHour(service);
    expect(await pruneChanges(service.services.connections, days)).toBe(true);
    expect(await rows()).toBe(0);
  });

  test('waits for readers with an older snapshot, and delays no other reader', async () => {
    anna = await signUp(service);
    await passPeriods(service, 2);
    await endPeriod(service);
    await pruneChanges(service.services.connections, days);
    expect(await pruneChanges(service.services.connections, days)).toBe(false);
    await passHour(service);
    const cursor = await cursorOfNow(anna);
    const end = await open('SELECT FROM changes');
    const pruned = pruneChanges(service.services.connections, days);
    for (let n = 0; n < 5; n += 1) {
      await makeTask(anna);
      expect((await poll(anna, cursor)).nodes).toHaveLength(n + 1);
    }
    await end();
    expect(await pruned).toBe(true);
  });

  test('keeps a period if a transaction commits a late change to it', async () => {
    anna = await signUp(service);
    await passPeriods(service, 2);
    await endPeriod(service);
    await pruneChanges(service.services.connections, days);
    await service.sql(
      `INSERT INTO changes (space_id, revision, operation_id, type, kind, entity_ids, entity_count, history_nonce, period)
       SELECT $1, 1000000, 'late', 'TAG', 'UPDATED', '{}', 0, 1, (number + 1) % 3 FROM log_period`,
      [anna.id],
    );
    await passHour(service);
    expect(await pruneChanges(service.services.connections, days)).toBe(false);
    expect(await rows()).toBe(2);
    await passPeriods(service, 1);
  });

  test('is done once by two processes at once', async () => {
    await endPeriod(service);
    await Promise.all([
      pruneChanges(service.services.connections, days),
      pruneChanges(service.services.connections, days),
    ]);
    await passHour(service);
    const done = await Promise.all([
      pruneChanges(service.services.connections, days),
      pruneChanges(service.services.connections, days),
    ]);
    expect(done.toSorted()).toEqual([false, true]);
    expect(await pruneChanges(service.services.connections, days)).toBe(false);
  });

  test('deletes changes of many tasks as a whole', async () => {
    anna = await signUpWithoutLog();
    const before = await cursorOfNow(anna);
    await service.sql(
      `INSERT INTO tasks (id, space_id, project_id, title, sort_key)
       SELECT 'task_' || gen_random_uuid(), space_id, id, 'n', 'a0'
       FROM projects, generate_series(1, 600) WHERE space_id = $1`,
      [anna.id],
    );
    const [within] = (await poll(anna, before, 300)).nodes.slice(-1);
    const kept = await cursorOfNow(anna);
    await passPeriods(service, 2);
    const { id } = await makeTask(anna);
    await passPeriods(service, 1);
    expect((await poll(anna, kept)).nodes).toMatchObject([{ taskId: id }]);
    for (const after of [before, within?.cursor]) {
      expect(await anna.graphql(query, { after })).toMatchObject(isExpired);
    }
  });

  test('does not affect open subscriptions', async () => {
    anna = await signUpWithoutLog();
    const stream = await Stream.open(service, anna);
    await makeTask(anna);
    await stream.take();
    await passPeriods(service, 3);
    const { id } = await makeTask(anna);
    expect(await stream.take()).toMatchObject({ taskId: id });
    stream.close();
  });

  test('expires no cursor and no subscription because of earlier changes of another kind', async () => {
    anna = await signUp(service);
    const project = await makeProject(anna, { workspaceId: (await makeWorkspace(anna)).id });
    const stream = await Stream.open(service, anna);
    await makeProject(anna);
    await makeTask(anna, { projectId: project.id });
    await stream.take();
    // The service has loaded the project for the first task, at the latest.
    await makeTask(anna, { projectId: project.id });
    const { cursor } = await stream.take();
    await passPeriods(service, 3);
    // A new space makes the subscription read its log again.
    await makeWorkspace(anna);
    const { id } = await makeTask(anna, { projectId: project.id });
    expect(await stream.take()).toMatchObject({ taskId: id });
    expect((await poll(anna, cursor)).nodes).toMatchObject([{ taskId: id }]);
    stream.close();
  });
});
