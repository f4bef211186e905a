import { randomUUID } from 'node:crypto';
import { mkdir, readdir, realpath } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { holdFolder } from '../../packages/postgres-server/embedded.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { dataFolders, endServices, nobody, processesOf, spawnService } from '../kit/process.ts';
import { run } from './backups.ts';

const folders = dataFolders();
afterAll(async () => {
  await endServices('SIGKILL');
  await folders.remove();
});

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

test.each(['/proc/backup', '/dev/null/backup', `/tmp/${'x'.repeat(300)}`])(
  'a backup to %s, which cannot be made, ends with one line',
  async (folder) => {
    const { code, said } = await run('backup', await folders.make(), folder);
    expect({ code, said }).toEqual({ code: 1, said: expect.stringMatching(/^Taskgate cannot do that: [^\n]+\n$/) });
  },
);
