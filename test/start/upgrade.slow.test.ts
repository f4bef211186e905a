import { access, readdir, readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fetchPrograms, releases } from '../../packages/postgres-server/upgrade.ts';
import { loadPrograms, type Programs, startHeld } from '../../packages/postgres-server/embedded.ts';
import { upgraded } from '../../packages/postgres-server/cluster.ts';
import { imageOf, plainPicture, upload } from '../accounts/pictures.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, launchIn, processesOf, type ServiceProcess, spawnService } from '../kit/process.ts';
import { until } from '../kit/until.ts';

const folders = dataFolders();
const account = { email: 'anna@example.com', password: 'correct horse' };
const key = { headers: { 'Idempotency-Key': 'a key of before' } };

/** Programs of the former major version, and a function that starts its server on a data folder. */
let programs: string;
const startFormer = (dataDir: string) => {
  const program = (name: string) => path.join(programs, name);
  const formerPrograms: Programs = { postgres: program('postgres'), initdb: program('initdb') };
  const { signal } = new AbortController();
  return startHeld(dataDir, { durable: true, endpoint: undefined, forTools: false, signal }, formerPrograms);
};

const launch = (dataDir: string, ...args: string[]) =>
  launchIn(path.resolve(import.meta.dirname, '../..'), { DATA_DIR: dataDir }, [
    ...[process.execPath, 'dist/src/process/backup.js', 'upgrade', ...args],
  ]);

async function upgrade(dataDir: string, ...args: string[]) {
  const running = launch(dataDir, ...args);
  return { code: await running.ended, said: running.output(), errors: running.errors() };
}

const majorOf = async (folder: string) => (await readFile(path.join(folder, 'PG_VERSION'), 'utf8')).trim();

async function end(service: ServiceProcess) {
  service.signal('SIGTERM');
  expect(await service.ended).toBe(0);
}

async function answersTo(client: Client, cursor: string) {
  const { body } = await client.get<{ todos: { id: string }[] }>('/api/v2/todo');
  const paths = [
    ...['/api/v2/sync', `/api/v2/changes?after=${cursor}`, '/api/v2/projects', '/api/v2/tag', '/api/v2/trash'],
    ...['/api/v2/todo/search?q=milk', '/api/v1/user/user-preferences', '/api/v2/deliveries'],
    ...body.todos.map(({ id }) => `/api/v2/todo/${id}/history`),
  ];
  const answers = await Promise.all(paths.map(async (each) => [each, await client.get(each)] as const));
  expect(answers.filter(([, { status }]) => status !== 200)).toEqual([]);
  const picture = await client.get(new URL(await imageOf(client)).pathname);
  return [body, picture.body, ...answers.map(([each, answer]) => [each, answer.body])];
}

beforeAll(async () => {
  programs = await fetchPrograms(path.join(await folders.make(), 'programs'), '17');
});
afterAll(async () => {
  await endServices('SIGKILL');
  await folders.remove();
});

describe('npm run upgrade', () => {
  let dataDir: string;
  let client: Client;
  let cursor: string;
  let before: unknown;
  let replayed: unknown;

  beforeAll(async () => {
    dataDir = await folders.make();
    const formerServer = await startFormer(dataDir);
    const service = await spawnService({ DATA_DIR: dataDir, DATABASE_URL: formerServer.url });
    client = new Client(service.url ?? '');
    await client.post('/api/v1/user/signup/send-otp', { email: account.email });
    const code = await new Mailbox(dataDir).takeCode(account.email);
    expect(await client.post('/api/v1/user/signup/verify', { ...account, code })).toMatchObject({ status: 200 });
    cursor = (await client.get<{ cursor: string }>('/api/v2/changes')).body.cursor;
    const add = (title: string, options = {}) =>
      client.post<{ todo: { id: string } }>('/api/v2/todo', { title }, options).then(({ body }) => body);
    replayed = await add('milk, "quoted"\\ and\ttabs\nin two lines', key);
    const { todo } = await add('bread');
    await client.patch(`/api/v2/todo/${todo.id}`, { completed: true });
    await client.delete(`/api/v2/todo/${(await add('gone')).todo.id}`);
    await client.post('/api/v2/tag', { name: 'ä', color: 'BLUE' });
    await upload(client, await plainPicture(1));
    before = await answersTo(client, cursor);
    await end(service);
    await formerServer.stop();
  });

  test('is named by a service that refuses to start on such files', async () => {
    const refusedService = await spawnService({ DATA_DIR: dataDir });
    expect(await refusedService.ended).toBe(1);
    expect(refusedService.errors()).toMatch(/^Taskgate cannot start: [^\n]*npm run upgrade[^\n]*\n$/);
  });

  test.each([
    ['the former server runs', 'postgres/postmaster.pid'],
    ['the new server runs', 'postgres.new-upgrade/postgres/postmaster.pid'],
    ['the rows are dumped', 'postgres.new-upgrade/dump/0'],
  ])('leaves the old database unchanged if it is killed while %s', async (_label, file) => {
    const killed = launch(dataDir, programs);
    const fileExists = () =>
      access(path.join(dataDir, file)).then(
        () => true,
        () => false,
      );
    await until(`${file} is there`, fileExists);
    killed.signal('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    const formerServer = await startFormer(dataDir);
    expect(await sqlAt(formerServer.url, "SELECT title FROM tasks WHERE title = 'bread'")).toHaveLength(1);
    await formerServer.stop();
    expect((await readdir(dataDir)).filter((name) => name.startsWith('postgres.'))).toEqual([]);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  const runOnFormer = async (statement: string) => {
    const formerServer = await startFormer(dataDir);
    await sqlAt(formerServer.url, statement);
    await formerServer.stop();
  };

  test('is refused if a newer version of Taskgate migrated the database', async () => {
    const name = '29990101000000_newer';
    await runOnFormer(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('newer', '', '${name}', now())`,
    );
    const { code, errors } = await upgrade(dataDir, programs);
    expect({ code, errors }).toEqual({
      code: 1,
      errors: expect.stringMatching(
        new RegExp(`^Taskgate cannot do that: the database has the migration ${name}, which [^\\n]+\\n$`),
      ),
    });
    expect(await majorOf(path.join(dataDir, 'postgres'))).toBe('17');
    expect((await readdir(dataDir)).filter((file) => file.startsWith('postgres.'))).toEqual([]);
    await runOnFormer(`DELETE FROM _prisma_migrations WHERE migration_name = '${name}'`);
  });

  test('is refused if the copy would be incomplete', async () => {
    await runOnFormer('CREATE TABLE of_another_program (id integer)');
    expect(await upgrade(dataDir, programs)).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/of_another_program differs in the copy: the former database stays/),
    });
    await runOnFormer('DROP TABLE of_another_program');
  });

  test('keeps everything: lists, replicas, sessions, passwords, cursors and idempotency keys', async () => {
    expect(await upgrade(dataDir, path.dirname((await loadPrograms()).postgres))).toMatchObject({
      code: 1,
      errors: expect.stringMatching(/is not a program of PostgreSQL 17\n$/),
    });
    const { code, said } = await upgrade(dataDir, programs);
    expect(said).toMatch(
      /rows of \d+ tables are equal in both\n.* is now a database of PostgreSQL 18; .*\/postgres\.17 until you remove it\n$/,
    );
    expect(code).toBe(0);
    expect(await majorOf(path.join(dataDir, 'postgres.17'))).toBe('17');

    const service = await spawnService({ DATA_DIR: dataDir });
    const upgradedClient = new Client(service.url ?? '', client.cookie);
    const base = (text: unknown) => JSON.stringify(text).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://here');
    expect(base(await answersTo(upgradedClient, cursor))).toBe(base(before));
    const title = (replayed as { todo: { title: string } }).todo.title;
    const replay = await upgradedClient.post('/api/v2/todo', { title }, key);
    expect(replay.body).toEqual(replayed);
    expect(replay.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await upgradedClient.post('/api/v2/todo', { title: 'after' })).toMatchObject({ status: 201 });
    const { body } = await upgradedClient.get<{ changes: unknown[] }>(`/api/v2/changes?after=${cursor}`);
    expect(JSON.stringify(body)).toContain('"after"');
    expect(await new Client(service.url ?? '').post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });

    expect((await upgrade(dataDir)).errors).toMatch(/the data folder is in use by another Taskgate/);
    await end(service);
    expect(await upgrade(dataDir)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/already a database of PostgreSQL 18/),
    });
  });

  test('is finished by the next start if it is killed between its last two renames', async () => {
    await rename(path.join(dataDir, 'postgres'), path.join(dataDir, upgraded));
    const service = await spawnService({ DATA_DIR: dataDir });
    expect(await new Client(service.url ?? '').post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });
    await end(service);
  });
});

test('the next version finds the programs of this one', async () => {
  const present = path.join((await loadPrograms()).postgres, '../../../package.json');
  const { version } = JSON.parse(await readFile(present, 'utf8')) as { version: string };
  expect(releases[parseInt(version)]).toBe(version);
});
