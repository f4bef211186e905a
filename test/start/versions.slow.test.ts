import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from '../kit/client.ts';
import { createTestDatabase, sqlAt } from '../kit/postgres.ts';
import {
  buildService,
  dataFolders,
  endServices,
  launchIn,
  processesOf,
  type ServiceProcess,
  spawnService,
} from '../kit/process.ts';
import { accessService } from '../kit/service.ts';
import { structureOf } from '../kit/structure.ts';
import { until } from '../kit/until.ts';
import { signUpByMail, type User } from '../kit/users.ts';

const folders = dataFolders();
const migration = '29990101000000_newer';
const line = `the database has the migration ${migration}, which this version does not know: start the version that applied it, or restore a backup from before`;

/** A copy of the build with a later migration, function and trigger. */
let newer: string;
beforeAll(async () => {
  await buildService();
  newer = await folders.make();
  for (const each of ['package.json', 'dist', 'prisma']) await cp(each, path.join(newer, each), { recursive: true });
  await symlink(path.resolve('node_modules'), path.join(newer, 'node_modules'));
  await mkdir(path.join(newer, 'prisma/migrations', migration));
  await writeFile(
    path.join(newer, 'prisma/migrations', migration, 'migration.sql'),
    `ALTER TABLE tasks ADD COLUMN effort integer NOT NULL DEFAULT 7;
     CREATE TABLE efforts AS SELECT id, effort FROM tasks;`,
  );
  await writeFile(
    path.join(newer, 'prisma/functions/zz_newer.sql'),
    `CREATE FUNCTION note_effort() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO efforts VALUES (NEW.id, NEW.effort); RETURN NULL; END';
     CREATE TRIGGER note_effort AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION note_effort();`,
  );
});
afterAll(async () => {
  await endServices('SIGKILL');
  await folders.remove();
});

const program = (name: string) => [process.execPath, '--enable-source-maps', `dist/src/process/${name}.js`];

async function startNewer(variables: Record<string, string>): Promise<ServiceProcess> {
  const service = launchIn(newer, variables, program('main'));
  await Promise.race([service.ready, service.ended]);
  expect(service.errors()).not.toContain('cannot start');
  return service;
}

async function end(service: ServiceProcess) {
  service.signal('SIGTERM');
  expect(await service.ended).toBe(0);
}

async function expectRefused(variables: Record<string, string>) {
  const refusedService = await spawnService(variables);
  if (refusedService.url !== undefined) refusedService.signal('SIGTERM');
  expect({
    code: await refusedService.ended,
    output: refusedService.output(),
    errors: refusedService.errors(),
  }).toEqual({
    code: 1,
    output: '',
    errors: `Taskgate cannot start: ${line}\n`,
  });
}

const open = (service: ServiceProcess, dataDir: string) => signUpByMail(accessService(service.url ?? '', dataDir));
const clientOf = (service: ServiceProcess, user: User) => new Client(service.url ?? '', user.cookie);
const add = async (client: Client, title: string) =>
  expect(await client.post('/api/v2/todo', { title })).toMatchObject({ status: 201 });
const titles = async (client: Client) => {
  const { body } = await client.get<{ todos: { title: string }[] }>('/api/v2/todo');
  return body.todos.map(({ title }) => title).sort();
};

async function contentOf(url: string) {
  const tables = await sqlAt<{ name: string }>(
    url,
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  const rows: Record<string, object[]> = {};
  for (const { name } of tables) rows[name] = await sqlAt(url, `SELECT ${name}::text AS row FROM ${name} ORDER BY 1`);
  return { structure: await structureOf(url), rows };
}

describe('a newer version', () => {
  let variables: { DATABASE_URL: string; DATA_DIR: string };
  let anna: User;
  let formerService: ServiceProcess;

  beforeAll(async () => {
    variables = { DATABASE_URL: await createTestDatabase({ migrated: false }), DATA_DIR: await folders.make() };
    formerService = await spawnService(variables);
    anna = await open(formerService, variables.DATA_DIR);
    await add(anna, 'milk');
  });

  test('migrates a database with its data, while a process of the former one serves it', async () => {
    const later = await startNewer(variables);
    await until('the log names the migration', () => later.errors().includes(migration));
    expect(await titles(clientOf(later, anna))).toEqual(['milk']);
    await add(clientOf(later, anna), 'bread');
    await add(anna, 'eggs');
    for (const service of [later, formerService])
      expect(await titles(clientOf(service, anna))).toEqual(['bread', 'eggs', 'milk']);
    expect(await sqlAt(variables.DATABASE_URL, 'SELECT effort, count(*)::int FROM efforts GROUP BY 1')).toEqual([
      { effort: 7, count: 3 },
    ]);
    await end(formerService);
    await expectRefused(variables);
    await add(clientOf(later, anna), 'salt');
    await end(later);
  });

  test('leaves a database that the former one refuses with one line and does not change', async () => {
    const before = await contentOf(variables.DATABASE_URL);
    expect(before.structure.functions.join()).toContain('note_effort');
    expect(before.rows['tasks']).toHaveLength(4);
    await expectRefused(variables);
    expect(await contentOf(variables.DATABASE_URL)).toEqual(before);
    const later = await startNewer(variables);
    expect(await titles(clientOf(later, anna))).toEqual(['bread', 'eggs', 'milk', 'salt']);
    await end(later);
  });
});

describe('an embedded database that a newer version migrated', () => {
  let DATA_DIR: string;
  let anna: User;

  const run = async (folder: string, args: string[], dataDir = DATA_DIR) => {
    const running = launchIn(folder, { DATA_DIR: dataDir }, [...program('backup'), ...args]);
    return { code: await running.ended, said: running.output(), errors: running.errors() };
  };

  beforeAll(async () => {
    DATA_DIR = await folders.make();
    const formerService = await spawnService({ DATA_DIR });
    anna = await open(formerService, DATA_DIR);
    await add(anna, 'milk');
    await end(formerService);
    const later = await startNewer({ DATA_DIR });
    await add(clientOf(later, anna), 'bread');
    await end(later);
  });

  test('is refused by the former one, which leaves no process behind', async () => {
    await expectRefused({ DATA_DIR });
    expect(await processesOf(DATA_DIR)).toEqual([]);
    const later = await startNewer({ DATA_DIR });
    expect(await titles(clientOf(later, anna))).toEqual(['bread', 'milk']);
    await end(later);
  });

  test('is backed up by either, and restored only by the newer one', async () => {
    const parent = await folders.make();
    const backup = path.join(parent, 'backup');
    expect(await run('.', ['backup', backup])).toMatchObject({ code: 0, errors: '' });

    const target = path.join(parent, 'target');
    await mkdir(target);
    await writeFile(path.join(target, 'of-another'), 'as it was');
    expect(await run('.', ['restore', backup], target)).toEqual({
      code: 1,
      said: '',
      errors: `Taskgate cannot do that: ${line}\n`,
    });
    expect(await readdir(target)).toEqual(['of-another']);
    expect(await readFile(path.join(target, 'of-another'), 'utf8')).toBe('as it was');
    expect(await processesOf(target)).toEqual([]);

    expect(await run(newer, ['restore', backup], target)).toMatchObject({ code: 0, errors: '' });
    expect((await readdir(target)).filter((name) => name.startsWith('postgres.'))).toEqual([]);
    const later = await startNewer({ DATA_DIR: target });
    expect(await titles(clientOf(later, anna))).toEqual(['bread', 'milk']);
    await end(later);
  });
});
