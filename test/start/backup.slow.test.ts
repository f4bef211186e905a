import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { holdFolder } from '../../packages/postgres-server/embedded.ts';
import { Client } from '../kit/client.ts';
import { postmasterOf } from '../kit/embedded.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { sqlAt } from '../kit/postgres.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { dataFolders, endServices, launchIn, nobody, processesOf, spawnService } from '../kit/process.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folders = dataFolders();
afterAll(async () => {
  await endServices('SIGKILL');
  await folders.remove();
});

/** Runs the built program. @returns its output and exit code */
const run = async (command: string, dataDir: string, folder: string, account: { uid?: number; gid?: number } = {}) =>
  promisify(execFile)(process.execPath, ['dist/src/process/backup.js', command, folder], {
    ...account,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
  }).then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
  );

const account = { email: 'anna@example.com', password: 'correct horse' };

async function signUp(client: Client, dataDir: string): Promise<void> {
  await client.post('/api/v1/user/signup/send-otp', { email: account.email });
  const code = await new Mailbox(dataDir).takeCode(account.email);
  expect(await client.post('/api/v1/user/signup/verify', { ...account, code })).toMatchObject({ status: 200 });
}

/** The current cursor. */
const cursorOf = async (client: Client) => (await client.get<{ cursor: string }>('/api/v2/changes')).body.cursor;

test('a backup under load has everything acknowledged before, also sessions, and refuses later cursors after a restore', async () => {
  const dataDir = await folders.make();
  const backup = path.join(await folders.make(), 'monday');
  const first = await spawnService({ DATA_DIR: dataDir });
  const client = new Client(first.url ?? '');
  await signUp(client, dataDir);
  const before = await cursorOf(client);
  const acknowledged = new Set<string>();
  const write = async () => {
    const { status, body } = await client.post<{ todo: { id: string } }>('/api/v2/todo', { title: 'x'.repeat(500) });
    if (status === 201) acknowledged.add(body.todo.id);
  };
  for (let n = 0; n < 20; n += 1) await write();
  const acknowledgedBefore = [...acknowledged];
  const running = run('backup', dataDir, backup);
  const isOver = running.then(() => true);
  do await write();
  while (!(await Promise.race([isOver, Promise.resolve(false)])));
  expect(await running).toMatchObject({
    code: 0,
    said: expect.stringMatching(/backed up \S+ to \S+monday, then started the copy and verified it: \d+ rows/),
  });
  await write();
  const later = await cursorOf(client);
  expect((await run('backup', dataDir, backup)).said).toMatch(/monday is not empty$/m);
  first.signal('SIGTERM');
  await first.ended;

  const held = await folders.make();
  const release = await holdFolder(await realpath(held));
  expect((await run('restore', held, backup)).code).toBe(1);
  expect(await readdir(held)).not.toContain('postgres');
  release();

  const restored = path.join(await folders.make(), 'restored');
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 });
  const second = await spawnService({ DATA_DIR: restored });
  const restoredClient = new Client(second.url ?? '', client.cookie);
  const { body } = await restoredClient.get<{ todos: { id: string }[] }>('/api/v2/todo');
  const there = new Set(body.todos.map(({ id }) => id));
  expect(acknowledgedBefore.filter((id) => !there.has(id))).toEqual([]);
  expect(there.size).toBeLessThan(acknowledged.size);
  expect(await restoredClient.get(`/api/v2/changes?after=${before}`)).toMatchObject({ status: 200 });
  expect(await restoredClient.get(`/api/v2/changes?after=${later}`)).toMatchObject({ status: 400 });
  second.signal('SIGTERM');
  await second.ended;

  // Also works without a service, and does not touch other data.
  const cold = path.join(await folders.make(), 'cold');
  expect(await run('backup', restored, cold)).toMatchObject({ code: 0 });
  expect(await processesOf(cold)).toEqual([]);
  expect((await run('restore', restored, cold)).said).toMatch(/has a database already: move the folder away first/);
  const empty = await folders.make();
  expect((await run('backup', empty, path.join(await folders.make(), 'x'))).said).toMatch(/has no embedded database/);
});

test('a restore refuses a backup with a damaged, truncated or missing file, and leaves nothing', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  service.signal('SIGTERM');
  await service.ended;
  const backup = path.join(await folders.make(), 'monday');
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });
  const fileOf = (name: string) => path.join(backup, name);
  const tables = (await readdir(fileOf('postgres/base'), { recursive: true })).filter((name) => /\/\d+$/.test(name));
  const table = `postgres/base/${tables.at(-1)}`;

  const faults: [name: string, content: (whole: Buffer) => Buffer][] = [
    [table, (whole) => whole.subarray(0, 0)],
    [table, (whole) => Buffer.from(whole).fill('x', 8_000, 8_010)],
    ['session-secret', () => Buffer.alloc(0)],
    ['SHA256SUMS', (whole) => whole.subarray(0, -20)],
    ['SHA256SUMS', (whole) => whole.subarray(0, whole.lastIndexOf('\n', -2) + 1)],
    ['SHA256SUMS', () => Buffer.alloc(0)],
  ];
  for (const [name, content] of faults) {
    const whole = await readFile(fileOf(name));
    await writeFile(fileOf(name), content(whole));
    const restored = await folders.make();
    const { code, said } = await run('restore', restored, backup);
    expect({ code, said }).toEqual({
      code: 1,
      said: expect.stringMatching(
        /^Taskgate cannot do that: \S+ in \S+monday is missing, damaged or not in SHA256SUMS: [^\n]+\n$/,
      ),
    });
    expect(await readdir(restored)).toEqual([]);
    await writeFile(fileOf(name), whole);
  }

  const unreadable = await run('restore', await folders.make(), fileOf('session-secret'));
  expect(unreadable.said).toMatch(/session-secret is not a backup that can be read \(ENOTDIR\)$/m);
  for (const name of ['session-secret', 'SHA256SUMS']) {
    const elsewhere = path.join(await folders.make(), name);
    await rename(fileOf(name), elsewhere);
    expect((await run('restore', await folders.make(), backup)).said).toContain(`${name} in ${backup} is missing`);
    await rename(elsewhere, fileOf(name));
  }
  const restored = await folders.make();
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0, said: expect.stringMatching(/\d+ rows\n$/) });
  expect(await readdir(restored)).not.toContain('SHA256SUMS');
});

test('a backup whose copy lost owners and modes is restored, and closed to others', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  const backup = path.join(await folders.make(), 'monday');
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });
  const copy = path.join(await folders.make(), 'copy');
  await cp(backup, copy, { recursive: true });
  for (const name of ['.', ...(await readdir(copy, { recursive: true }))]) {
    const file = path.join(copy, name);
    await chmod(file, (await stat(file)).isDirectory() ? 0o755 : 0o644);
  }
  const restored = path.join(await folders.make(), 'restored');
  expect(await run('restore', restored, copy)).toMatchObject({ code: 0 });
  const modeOf = async (name: string) => (await stat(path.join(restored, name))).mode & 0o777;
  expect([await modeOf('session-secret'), await modeOf('postgres')]).toEqual([0o600, 0o700]);
  const started = await spawnService({ DATA_DIR: restored });
  for (const each of [service, started]) {
    each.signal('SIGTERM');
    expect(await each.ended).toBe(0);
  }
});

test('a database and a log behind links to another disk are backed up', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  service.signal('SIGTERM');
  await service.ended;
  const moved = path.join(await folders.make(), 'database');
  await rename(path.join(dataDir, 'postgres'), moved);
  await symlink(moved, path.join(dataDir, 'postgres'));
  await rename(path.join(moved, 'pg_wal'), `${moved}-log`);
  await symlink(`${moved}-log`, path.join(moved, 'pg_wal'));
  const backup = path.join(await folders.make(), 'monday');
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });
  const restored = path.join(await folders.make(), 'restored');
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 });
  expect((await lstat(path.join(restored, 'postgres'))).isDirectory()).toBe(true);
});

test('a backup has files of any name, and is restored', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  service.signal('SIGTERM');
  await service.ended;
  const names = ['a  b', 'a\nb', 'a\\b', ' '];
  for (const name of names) await writeFile(path.join(dataDir, name), name);
  const backup = path.join(await folders.make(), 'monday');
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });
  const restored = await folders.make();
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 });
  for (const name of names) expect(await readFile(path.join(restored, name), 'utf8')).toBe(name);
});

test('a folder that the account may not read is not called one without a database', async () => {
  const dataDir = await folders.make();
  await mkdir(path.join(dataDir, 'postgres'), { mode: 0 });
  const { code, said } = await run('backup', dataDir, path.join(os.tmpdir(), randomUUID()), nobody);
  expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/^Taskgate cannot do that: EACCES[^\n]+\n$/) });
});

test('mount points are backed up, and have backups', async () => {
  const disk = await SmallDisk.mount(300);
  if (!disk) return;
  const dataDir = await folders.make();
  await mkdir(path.join(dataDir, 'lost+found'), { mode: 0 });
  const service = await spawnService({ DATA_DIR: dataDir });
  await mkdir(path.join(disk.folder, 'lost+found'));
  expect(await run('backup', dataDir, disk.folder)).toMatchObject({ code: 0 });
  const files = ['SHA256SUMS', 'lost+found', 'postgres', 'postgres-password', 'session-secret'];
  expect((await readdir(disk.folder)).sort()).toEqual(files);
  const restored = await folders.make();
  expect(await run('restore', restored, disk.folder)).toMatchObject({ code: 0 });
  expect(await readdir(restored)).not.toContain('lost+found');
  await disk.unmount();
  service.signal('SIGTERM');
  await service.ended;
});

test('two backups into one folder at the same time leave one whole backup or none', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  const backup = path.join(await folders.make(), 'monday');
  const both = await Promise.all([run('backup', dataDir, backup), run('backup', dataDir, backup)]);
  const succeeded = both.filter(({ code }) => code === 0);
  expect(succeeded.length).toBeLessThan(2);
  for (const { said } of both.filter(({ code }) => code !== 0)) expect(said).toMatch(/monday is not empty$/m);
  if (succeeded.length === 1) expect(await run('restore', await folders.make(), backup)).toMatchObject({ code: 0 });
  service.signal('SIGTERM');
  await service.ended;
});

test('two backups into two folders at the same time are both whole', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  const backups = [path.join(await folders.make(), 'one'), path.join(await folders.make(), 'other')];
  for (const { code, said } of await Promise.all(backups.map((each) => run('backup', dataDir, each)))) {
    expect({ code, said }).toMatchObject({ code: 0 });
  }
  for (const each of backups) expect(await run('restore', await folders.make(), each)).toMatchObject({ code: 0 });
  service.signal('SIGTERM');
  await service.ended;
});

/** Reading its rows takes seconds, so signals arrive in time. */
const slowTable = `
  CREATE TABLE slow (id integer, size integer GENERATED ALWAYS AS (length(repeat('x', 50000000 + id))) VIRTUAL);
  INSERT INTO slow SELECT generate_series(1, 15)`;

test('a backup and a restore that are stopped end their database and remove what is unfinished', async () => {
  const dataDir = await folders.make();
  const service = await spawnService({ DATA_DIR: dataDir });
  await sqlAt((await postmasterOf(dataDir)).url, slowTable);
  const folder = await folders.make();
  const backup = path.join(folder, 'monday');
  const stopped = async (command: string, variables: Record<string, string>) => {
    const program = ['dist/src/process/backup.js', command, backup];
    const running = launchIn(root, { LOG_LEVEL: 'debug', ...variables }, [process.execPath, ...program]);
    // Of the copy.
    await running.untilLogged(/starting PostgreSQL/);
    // As Ctrl-C: npm forwards a second one.
    running.signal('SIGINT');
    running.signal('SIGINT');
    expect(await running.ended).toBe(1);
    expect(running.errors()).toMatch(/^Taskgate cannot do that: stopped by SIGINT$/m);
  };

  await stopped('backup', { DATA_DIR: dataDir });
  expect(await readdir(folder)).toEqual([]);
  expect(await processesOf(folder)).toEqual([]);
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });

  const restored = await folders.make();
  await stopped('restore', { DATA_DIR: restored });
  expect(await readdir(restored)).toEqual([]);
  expect(await processesOf(restored)).toEqual([]);

  // A restore that is killed leaves its copy.
  await mkdir(path.join(restored, 'postgres.new-1/postgres'), { recursive: true });
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 });
  expect((await readdir(restored)).sort()).toEqual(['postgres', 'postgres-password', 'session-secret']);
  service.signal('SIGTERM');
  await service.ended;
});

test.each(['/proc/backup', '/dev/null/backup', `/tmp/${'x'.repeat(300)}`])(
  'a backup to %s, which cannot be made, ends with one line',
  async (folder) => {
    const { code, said } = await run('backup', await folders.make(), folder);
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/^Taskgate cannot do that: [^\n]+\n$/) });
  },
);

test('the files of another major version are refused with instructions', async () => {
  const dataDir = await folders.make();
  const made = await spawnService({ DATA_DIR: dataDir });
  made.signal('SIGTERM');
  await made.ended;
  const file = path.join(dataDir, 'postgres/PG_VERSION');
  expect((await readFile(file, 'utf8')).trim()).toBe('18');
  await writeFile(file, '17\n');
  const refusedService = await spawnService({ DATA_DIR: dataDir });
  expect(await refusedService.ended).toBe(1);
  expect(refusedService.errors()).toMatch(
    /^Taskgate cannot start: [^\n]*created by another version of Taskgate[^\n]*Upgrades[^\n]*\n$/,
  );
});
