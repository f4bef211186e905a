import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { sessionSettings } from '../../packages/postgres/postgres.ts';
import { Stream } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { makeTask } from '../kit/make.ts';
import { type PgBouncer, startPgBouncer } from '../kit/pgbouncer.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';

const folders = dataFolders();
const bouncers: PgBouncer[] = [];
let direct: string;

/** Returns undefined, with a warning, if PgBouncer is not installed. */
async function bouncer(settings?: string[]): Promise<PgBouncer | undefined> {
  const started = await startPgBouncer(direct, settings);
  if (started) bouncers.push(started);
  else console.warn('not tried: there is no pgbouncer on this machine');
  return started;
}

/** Shared by all processes, because any of them may send a mail. */
let dataDir: string;

const start = (variables: Record<string, string>) =>
  spawnService({ DATA_DIR: dataDir, RATE_LIMITS: 'off', ...variables });

async function started(variables: Record<string, string>) {
  const service = await start(variables);
  if (service.url === undefined) throw new Error(service.errors());
  return { ...service, url: service.url };
}

async function signUp({ url }: { url: string }, email: string) {
  const client = new Client(url);
  await client.post('/api/v1/user/signup/send-otp', { email });
  const code = await new Mailbox(dataDir).takeCode(email);
  const answer = await client.post('/api/v1/user/signup/verify', { email, code, password: 'correct horse' });
  expect(answer).toMatchObject({ status: 200 });
  return client;
}

const pooled = (url: string) => ({ DATABASE_URL: url, DATABASE_TRANSACTION_POOLING: 'on' });

beforeAll(async () => {
  dataDir = await folders.make();
  direct = await createTestDatabase({ migrated: false });
  // A distant time zone reveals connections that do not use UTC.
  const client = new pg.Client({ connectionString: direct });
  await client.connect();
  await client.query(`ALTER DATABASE ${new URL(direct).pathname.slice(1)} SET TimeZone = 'Asia/Tokyo'`);
  await client.end();
});
afterEach(async () => {
  await endServices('SIGTERM');
  for (const each of bouncers.splice(0)) await each.close();
});
afterAll(() => folders.remove());

describe('a service behind PgBouncer in transaction mode', () => {
  test.each([
    ['refuses startup options', []],
    ['ignores startup options', ['ignore_startup_parameters = options,extra_float_digits']],
  ])('that %s: is not ready, and names the variable to set', async (_name, settings) => {
    const pgBouncer = await bouncer(settings);
    if (!pgBouncer) return;
    const service = await start({ DATABASE_URL: pgBouncer.url });
    expect(service.url).toBeUndefined();
    expect(await service.ended).toBe(1);
    expect(service.output()).toBe('');
    expect(service.errors()).toMatch(/^Taskgate cannot start: [^\n]*DATABASE_TRANSACTION_POOLING=on[^\n]*\n$/m);
    expect(await sqlAt(direct, "SELECT to_regclass('tasks') AS found")).toEqual([{ found: null }]);
  });

  test('that keeps no prepared statements, whatever the settings: is not ready either', async () => {
    const pgBouncer = await bouncer(['ignore_startup_parameters = options,extra_float_digits']);
    if (!pgBouncer) return;
    const client = new pg.Client({ connectionString: direct });
    await client.connect();
    const database = new URL(direct).pathname.slice(1);
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_trgm; SELECT show_limit()');
    for (const [name, value] of Object.entries(sessionSettings)) {
      await client.query(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
    }
    const service = await start({ DATABASE_URL: pgBouncer.url });
    expect(service.url).toBeUndefined();
    expect(await service.ended).toBe(1);
    expect(service.errors()).toMatch(/^Taskgate cannot start: [^\n]*prepared statements[^\n]*POOLING=on[^\n]*\n$/m);
    for (const name of Object.keys(sessionSettings)) await client.query(`ALTER DATABASE ${database} RESET ${name}`);
    await client.end();
  });

  test('serves two processes at once: nothing fails, moments are in UTC', async () => {
    const pgBouncer = await bouncer();
    if (!pgBouncer) return;
    const [one, two] = await Promise.all([started(pooled(pgBouncer.url)), started(pooled(pgBouncer.url))]);
    const client = await signUp(one, 'anna@example.com');
    const clients = [client, new Client(two.url, client.cookie)];
    const titles = Array.from({ length: 60 }, (_, index) => `task ${index}`);
    const dueTime = '2027-05-15T10:00:00.000Z';
    const responses = await Promise.all(
      titles.map(async (title, index) =>
        clients[index % 2]?.post('/api/v2/todo', { title, dueDate: '2027-05-15', dueTime, isAllDay: false }),
      ),
    );
    expect(responses.map((answer) => answer?.status)).toEqual(titles.map(() => 201));
    const lists = await Promise.all(
      titles.flatMap(() => clients.map((each) => each.get<{ todos: { dueTime: string }[] }>('/api/v2/todo'))),
    );
    expect(new Set(lists.map(({ status }) => status))).toEqual(new Set([200]));
    expect(JSON.stringify(lists.at(-1)?.body)).toContain(`"dueTime":"${dueTime}"`);
    const query = '{ tasks(first: 100) { nodes { dueTime createdAt } } }';
    const { body } = await client.post<{ data: { tasks: { nodes: { dueTime: string; createdAt: string }[] } } }>(
      '/graphql',
      { query },
    );
    for (const node of body.data.tasks.nodes) {
      expect(node.dueTime).toBe(dueTime);
      // Created within this hour in UTC.
      expect(Math.abs(Date.now() - Date.parse(node.createdAt))).toBeLessThan(3_600_000);
    }
  });

  test('returns the same search results as a directly connected service, and receives its changes', async () => {
    const pgBouncer = await bouncer();
    if (!pgBouncer) return;
    const near = await started({ DATABASE_URL: direct });
    const far = await started(pooled(pgBouncer.url));
    const directService = await started({ ...pooled(pgBouncer.url), DATABASE_DIRECT_URL: direct });
    const anna = await signUp(near, 'berta@example.com');
    for (const title of ['Plant tomatoes', 'Buy soil', 'Telephone the plumber']) {
      await anna.post('/api/v2/todo', { title });
    }
    await anna.post('/api/v2/tag', { name: 'gardening', color: 'green' });
    const [here, there] = [anna, new Client(far.url, anna.cookie)];
    for (const typed of ['tomatos', 'tomatose', 'plumer', 'telefone', 'soil', 'gardning', 'gradening']) {
      const [expected, found] = await Promise.all(
        [here, there].map((client) => client.get(`/api/v2/todo/search?q=${typed}`)),
      );
      expect(expected?.body).not.toEqual({ todos: [], tags: [] });
      expect(found?.body).toEqual(expected?.body);
      const query = 'query ($text: String) { tasks(filter: { text: $text }) { nodes { id } } }';
      const [near, bouncedSchema] = await Promise.all(
        [here, there].map((client) => client.data(query, { text: typed })),
      );
      expect(bouncedSchema).toEqual(near);
    }
    // PgBouncer carries no notifications, so the slow poll finds the change. A direct connection is notified at once.
    for (const { url } of [far, directService]) {
      const stream = await Stream.open({ url }, new Client(url, anna.cookie));
      const task = await makeTask(anna);
      expect(await stream.take()).toMatchObject({ taskId: task.id });
      stream.close();
    }
  });
});
