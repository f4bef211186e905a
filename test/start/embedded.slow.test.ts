import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { clearLeftover } from '../../packages/postgres-server/leftover.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { postmasterLines, postmasterOf } from '../kit/embedded.ts';
import { dataFolders, endServices, processesOf, type ServiceProcess, spawnService } from '../kit/process.ts';

const account = { email: 'anna@example.com', password: 'correct horse' };
const folders = dataFolders();

async function start(dataDir: string, command?: string[]): Promise<ServiceProcess & { client: Client }> {
  const service = await spawnService({ DATA_DIR: dataDir }, command);
  return { ...service, client: new Client(service.url ?? '') };
}

async function signUp(client: Client, dataDir: string) {
  await client.post('/api/v1/user/signup/send-otp', { email: account.email });
  const code = await new Mailbox(dataDir).takeCode(account.email);
  return client.post('/api/v1/user/signup/verify', { ...account, code });
}

const postgresPid = async (dataDir: string) => (await postmasterOf(dataDir)).pid;

afterEach(() => endServices('SIGTERM'));
afterAll(() => folders.remove());

describe('a start with the embedded database', () => {
  test('works from an empty folder, prints one line, and ends cleanly at SIGTERM', async () => {
    const dataDir = path.join(await folders.make(), 'not', 'there', 'yet');
    const service = await start(dataDir);
    expect(service.output()).toMatch(/^Taskgate ready at http:\/\/127\.0\.0\.1:[1-9]\d*\n$/);
    expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
    expect(await signUp(service.client, dataDir)).toMatchObject({ status: 200 });
    expect(await processesOf(dataDir)).not.toEqual([]);

    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);

    const secondStart = await start(dataDir);
    expect(await secondStart.client.post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });
    secondStart.signal('SIGINT');
    expect(await secondStart.ended).toBe(0);
  });

  test('listens on a Unix socket that other accounts cannot reach, and on no port', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    const lines = await postmasterLines(dataDir);
    const folder = path.join(dataDir, 'postgres');
    expect(lines.slice(4, 6)).toEqual([folder, '']);
    expect((await stat(folder)).mode & 0o077).toBe(0);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('listens on a port of 127.0.0.1 if the path is too long for a socket', async () => {
    const dataDir = path.join(await folders.make(), 'long'.repeat(25));
    const service = await start(dataDir);
    expect((await postmasterLines(dataDir)).slice(4, 6)).toEqual(['', '127.0.0.1']);
    expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('ends the server that a killed service left behind, and loses nothing', async () => {
    const dataDir = await folders.make();
    const killed = await start(dataDir);
    expect(await signUp(killed.client, dataDir)).toMatchObject({ status: 200 });
    const leftoverPid = await postgresPid(dataDir);
    killed.signal('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');

    const secondStart = await start(dataDir);
    expect(secondStart.url).toBeDefined();
    expect(await postgresPid(dataDir)).not.toBe(leftoverPid);
    expect(await secondStart.client.post('/api/v1/user/signin', account)).toMatchObject({ status: 200 });
    secondStart.signal('SIGTERM');
    expect(await secondStart.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('refuses a data folder that another service is using, which continues', async () => {
    const dataDir = await folders.make();
    const first = await start(dataDir);
    const second = await start(dataDir);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toBe('Taskgate cannot start: the data folder is in use by another Taskgate\n');
    expect(await first.client.get('/readyz')).toMatchObject({ status: 200 });
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
  });

  test('refuses a data folder whose server runs in another container with invisible processes', async () => {
    const first = await folders.make();
    const service = await start(first);
    // The other container sees the PID file and the socket.
    const folder = await folders.make();
    const pidFile = await readFile(path.join(first, 'postgres', 'postmaster.pid'), 'utf8');
    await writeFile(path.join(folder, 'postmaster.pid'), pidFile);
    const password = (await readFile(path.join(first, 'postgres-password'), 'utf8')).trim();
    const refusal = { message: 'the data folder is in use by another Taskgate' };
    const clear = (known: string) => clearLeftover(folder, known, new AbortController().signal);
    await expect(clear(password)).rejects.toMatchObject(refusal);
    // Also a server that accepts no logins, such as during recovery.
    await expect(clear('wrong')).rejects.toMatchObject(refusal);
    expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('runs one of two simultaneous first starts, and refuses the other', async () => {
    const dataDir = await folders.make();
    const starts = await Promise.all([start(dataDir), start(dataDir)]);
    const startedServices = starts.filter(({ url }) => url !== undefined);
    const [refusedService] = starts.filter(({ url }) => url === undefined);
    expect(startedServices).toHaveLength(1);
    expect(await refusedService?.ended).toBe(1);
    expect(refusedService?.errors()).toBe('Taskgate cannot start: the data folder is in use by another Taskgate\n');
    expect(await startedServices[0]?.client.get('/readyz')).toMatchObject({ status: 200 });
    startedServices[0]?.signal('SIGTERM');
    expect(await startedServices[0]?.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('connects as a role without superuser rights, and nobody can connect as the superuser', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    const { host, port, url } = await postmasterOf(dataDir);
    const { password } = new URL(url);
    const owner = new pg.Client({ connectionString: url });
    await owner.connect();
    const { rows } = await owner.query(`
      SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS privileged,
        (SELECT array_agg(DISTINCT usename::text) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connected
      FROM pg_roles WHERE rolname = current_user`);
    expect(rows).toEqual([{ privileged: false, connected: ['taskgate'] }]);
    await owner.end();
    const superuser = new pg.Client({ host, port, user: 'postgres', password, database: 'postgres' });
    await expect(superuser.connect()).rejects.toThrow('no pg_hba.conf entry');
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test.each(['names another living program', 'is empty'])('starts if a PID file %s', async (what) => {
    const dataDir = await folders.make();
    const first = await start(dataDir);
    const lines = await postmasterLines(dataDir);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    const folder = path.join(dataDir, 'postgres');
    const { uid, gid } = await stat(folder);
    // The same account: PostgreSQL ignores processes of other accounts.
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      uid,
      gid,
      cwd: '/',
      stdio: 'ignore',
    });
    try {
      await once(other, 'spawn');
      const stale = what === 'is empty' ? '' : [other.pid, ...lines.slice(1)].join('\n');
      await writeFile(path.join(folder, 'postmaster.pid'), stale, { mode: 0o600 });
      await chown(path.join(folder, 'postmaster.pid'), uid, gid);
      await writeFile(path.join(folder, '.s.PGSQL.5432.lock'), stale, { mode: 0o600 });
      const service = await start(dataDir);
      expect(service.errors()).not.toContain('cannot start');
      expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
      expect(other.exitCode).toBeNull();
      service.signal('SIGTERM');
      expect(await service.ended).toBe(0);
    } finally {
      other.kill('SIGKILL');
    }
  });

  test('refuses a folder without its password, and one with other contents, and changes neither', async () => {
    const dataDir = await folders.make();
    const first = await start(dataDir);
    first.signal('SIGTERM');
    expect(await first.ended).toBe(0);
    await rm(path.join(dataDir, 'postgres-password'));
    const second = await start(dataDir);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toContain('postgres-password, which belongs to');
    const version = path.join(dataDir, 'postgres', 'PG_VERSION');
    await rename(version, path.join(dataDir, 'postgres', 'notes'));
    const third = await start(dataDir);
    expect(await third.ended).toBe(1);
    expect(third.errors()).toContain('contains something other than a database');
    expect(await readdir(path.join(dataDir, 'postgres'))).toContain('notes');
  });

  test.each([
    ['a link to an empty folder', (file: string, target: string) => symlink(target, file)],
    ['a link to nothing', (file: string, target: string) => symlink(path.join(target, 'absent'), file)],
    ['a file', (file: string) => writeFile(file, '')],
  ])('names the place of a new database that is %s, in one line', async (_what, make) => {
    const dataDir = await folders.make();
    const place = path.join(dataDir, 'postgres');
    await make(place, await folders.make());
    const service = await start(dataDir);
    expect(await service.ended).toBe(1);
    const reason = `${place} must be absent or an empty folder, no link or mount point, until it has a database`;
    expect(service.errors()).toBe(`Taskgate cannot start: ${reason} (ENOTDIR)\n`);
  });

  test('names a password that is not that of the database, in one line', async () => {
    const dataDir = await folders.make();
    const first = await start(dataDir);
    first.signal('SIGTERM');
    await first.ended;
    await writeFile(path.join(dataDir, 'postgres-password'), 'another\n');
    const second = await start(dataDir);
    expect(await second.ended).toBe(1);
    expect(second.errors()).toMatch(
      /^Taskgate cannot start: [^\n]+ cannot be used with the password in postgres-password \(28P01\)\n$/,
    );
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('gives none of its variables to a server of another account, which could read secrets there', async () => {
    if (process.getuid?.() !== 0) return;
    const dataDir = await folders.make();
    const service = await spawnService({
      DATA_DIR: dataDir,
      SESSION_SECRET: 'a secret of the service',
      PGPORT: 'none',
    });
    expect(service.errors()).not.toContain('cannot start');
    expect(await readFile(`/proc/${await postgresPid(dataDir)}/environ`, 'utf8')).not.toContain('a secret');
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('kills a server that does not end, and exits with 0', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    // A stopped server process blocks the orderly end of the server.
    const [postmaster = ''] = await postmasterLines(dataDir);
    const children = await readFile(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8');
    process.kill(Number(children.trim().split(' ').at(-1)), 'SIGSTOP');
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(service.errors()).toContain('the database server does not end in time');
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('restarts a database server that ends unexpectedly, which has all committed data', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    expect(await signUp(service.client, dataDir)).toMatchObject({ status: 200 });
    for (const signal of ['SIGQUIT', 'SIGKILL'] as const) {
      const pid = await postgresPid(dataDir);
      process.kill(pid, signal);
      await service.untilLogged(new RegExp(`(the database is back[^]*){${signal === 'SIGQUIT' ? 1 : 2}}`));
      expect(await service.client.get('/readyz')).toMatchObject({ status: 200 });
      expect(await postgresPid(dataDir)).not.toBe(pid);
      expect(await service.client.post('/api/v2/todo', { title: signal })).toMatchObject({ status: 201 });
    }
    expect(service.errors().match(/the embedded database has ended unexpectedly/g)).toHaveLength(2);
    expect((await service.client.get<{ todos: unknown[] }>('/api/v2/todo')).body.todos).toHaveLength(2);
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });

  test('makes no new database in place of files that are gone, and continues when they are back', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    expect(await signUp(service.client, dataDir)).toMatchObject({ status: 200 });
    const [present, gone] = [path.join(dataDir, 'postgres'), path.join(dataDir, 'elsewhere')];
    const pid = await postgresPid(dataDir);
    await rename(present, gone);
    process.kill(pid, 'SIGKILL');
    await service.untilLogged(/the embedded database does not restart/);
    expect(await service.client.get('/api/v2/todo')).toMatchObject({ status: 503 });
    expect(await readdir(dataDir)).not.toContain('postgres');
    await rename(gone, present);
    await service.untilLogged(/the database is back/);
    expect(await service.client.post('/api/v2/todo', { title: 'Back' })).toMatchObject({ status: 201 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('ends at a signal even while its database server cannot be restarted', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir);
    await rename(path.join(dataDir, 'postgres', 'PG_VERSION'), path.join(dataDir, 'postgres', 'notes'));
    process.kill(await postgresPid(dataDir), 'SIGKILL');
    await service.untilLogged(/the embedded database does not restart/);
    expect(await service.client.get('/healthz')).toMatchObject({ status: 200 });
    expect(await service.client.get('/readyz')).toMatchObject({ status: 503 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });
});

describe('npm start', () => {
  test('leaves no process behind when npm gets the signal', async () => {
    const dataDir = await folders.make();
    const service = await start(dataDir, ['npm', 'start', '--silent']);
    expect(await service.client.get('/healthz')).toMatchObject({ status: 200 });
    service.signal('SIGTERM');
    expect(await service.ended).toBe(0);
    expect(await processesOf(dataDir)).toEqual([]);
  });
});
