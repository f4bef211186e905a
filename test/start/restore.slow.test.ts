import { chmod, cp, lstat, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { postmasterOf } from '../kit/embedded.ts';
import { sqlAt } from '../kit/postgres.ts';
import { dataFolders, endServices, launchIn, processesOf, spawnService } from '../kit/process.ts';
import { makeDatabase, run } from './backups.ts';

const root = path.resolve(import.meta.dirname, '../..');
const folders = dataFolders();
afterAll(async () => {
  await endServices('SIGKILL');
  await folders.remove();
});

test('a restore refuses a backup with a damaged, truncated or missing file, and leaves nothing', async () => {
  const dataDir = await folders.make();
  await makeDatabase(dataDir);
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
  await makeDatabase(dataDir);
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
  await makeDatabase(dataDir);
  const names = ['a  b', 'a\nb', 'a\\b', ' '];
  for (const name of names) await writeFile(path.join(dataDir, name), name);
  const backup = path.join(await folders.make(), 'monday');
  expect(await run('backup', dataDir, backup)).toMatchObject({ code: 0 });
  const restored = await folders.make();
  expect(await run('restore', restored, backup)).toMatchObject({ code: 0 });
  for (const name of names) expect(await readFile(path.join(restored, name), 'utf8')).toBe(name);
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
