import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { dataFolders, processesOf, type ServiceProcess, spawnService } from '../kit/process.ts';

const account = { email: 'anna@example.com', password: 'correct horse' };
const folders = dataFolders();
const started: ServiceProcess[] = [];

async function start(dataDir: string, command?: string[]): Promise<ServiceProcess & { client: Client }> {
  const service = await spawnService({ DATA_DIR: dataDir }, command);
  started.push(service);
  return { ...service, client: new Client(service.url ?? '') };
}

async function signUp(client: Client, dataDir: string) {
  await client.post('/api/v1/user/signup/send-otp', { email: account.email });
  const code = await new Mailbox(dataDir).takeCode(account.email);
  return client.post('/api/v1/user/signup/verify', { ...account, code });
}

async function postgresPid(dataDir: string) {
  return Number((await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

afterEach(async () => {
  for (const service of started.splice(0)) {
    service.signal('SIGTERM');
    await service.ended;
  }
});
afterAll(() => folders.remove());

describe('a start with the embedded database', () => {
  test('works from an empty folder, says so in one line, and ends cleanly at SIGTERM', async () => {
    const dataDir = path.join(await folders.make(), 'not', 'there', 'yet');
    const service = await start(dataDir);
    expect(service.output()).toMatch(/^Taskgate ready at http:\/\/127\.0\.0\.1:[1-9]\d*\n$/);
    expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
    expect(await signUp(service.client, dataDir)).toMatchObject({ status: 200 });
    expect(await processesOf(dataDir)).not.toEqual([]);

    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);

    const again = await start(dataDir);
    expect(await again.client.post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });
    again.signal('SIGINT');
    expect(await again.ended).toBe(0);
  });

  test('ends the server that a killed service left behind, and loses nothing', async () => {
    const dataDir = await folders.make();
    const killed = await start(dataDir);
    expect(await signUp(killed.client, dataDir)).toMatchObject({ status: 200 });
    const leftover = await postgresPid(dataDir);
    killed.signal('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');

    const again = await start(dataDir);
    expect(again.url).toBeDefined();
    expect(await postgresPid(dataDir)).not.toBe(leftover);
    expect(await again.client.post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });
    again.signal('SIGTERM');
    expect(await again.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('refuses a data folder that another service is using, which goes on', async () => {
    const dataDir = await folders.make();
    const first = await start(dataDir);
    const second = await start(dataDir);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toBe('Taskgate cannot start: the data folder is in use by another Taskgate\n');
    expect(await first.client.get('/readyz')).toMatchObject({ status: 200 });
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  test('begins one of two first starts at the same moment, and refuses the other', async () => {
    const dataDir = await folders.make();
    const both = await Promise.all([start(dataDir), start(dataDir)]);
    const begun = both.filter(({ url }) => url !== undefined);
    const [refused] = both.filter(({ url }) => url === undefined);
    expect(begun).toHaveLength(1);
    expect(await refused?.ended).toBe(1);
    expect(refused?.errors()).toBe('Taskgate cannot start: the data folder is in use by another Taskgate\n');
    expect(await begun[0]?.client.get('/readyz')).toMatchObject({ status: 200 });
    begun[0]?.signal('SIGTERM');
    expect(await begun[0]?.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('ends when its database server does, so that a supervisor can start it again', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    process.kill(await postgresPid(dataDir), 'SIGQUIT');
    expect(await service.ended).toBe(1);
    expect(service.errors()).toContain('the embedded database has ended by itself');
  });
});

describe('npm start', () => {
  test("leaves no process behind when npm's own is told to end", async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir, ['npm', 'start', '--silent']);
    expect(await service.client.get('/healthz')).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });
});
