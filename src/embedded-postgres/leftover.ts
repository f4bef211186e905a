import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { log } from '../kernel/logger.ts';
import { owner, urlOf } from './cluster.ts';
import { StartError } from '../kernel/start-error.ts';
import { isAlive, postgresProcessesOn } from './processes.ts';
import { endpointIn, loopback, socketLock } from './server.ts';

/** The connections of a service that was killed may take a moment to go. */
const heartbeatMs = 3_000;
/** A fast shutdown writes all that is in memory to the disk first. */
const fastStopMs = 10_000;
const immediateStopMs = 10_000;
const pollMs = 100;

export const inUse = () => new StartError('the data folder is in use by another Taskgate');

/**
 * Ends the server that a killed run left behind on the folder, and disarms a stale PID file. Only the holder of the data folder may call
 * it.
 * @throws {StartError} where a living service uses the server
 */
export async function clearLeftover(folder: string, password: string, signal: AbortSignal): Promise<void> {
  const pidFile = path.join(folder, 'postmaster.pid');
  const content = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const lines = content.split('\n');
  const pid = Number(lines[0]);
  const servers = await postgresProcessesOn(folder);
  const endpoint = endpointIn(content);
  const found = await lookAt(urlOf(endpoint, password), signal);
  // If a server responds at the folder's own socket, and has no process here, another container has the folder.
  const isElsewhere = servers.length === 0 && found === 'server' && endpoint.host !== loopback;
  if (found === 'service' || isElsewhere) throw inUse();
  for (const server of servers) await endServer(server, folder, signal);
  if (servers.length > 0) return;
  // The lock of the socket names the same process.
  await rm(path.join(folder, socketLock), { force: true });
  if (!Number.isInteger(pid) || pid <= 0) {
    log.warn('removing a PID file of the database that names no process');
    await rm(pidFile, { force: true });
  } else if (isAlive(pid)) {
    // The PID has gone to another program, for which PostgreSQL would refuse to start. It takes its parent's for a
    // leftover, and then looks at the shared memory that the file names: whether that is in use it knows best.
    log.warn({ pid }, 'the PID file of the database names another program: it is a leftover');
    await writeFile(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
  }
}

/** What runs on the folder: a server with a living service connected to it, a server, or nothing. */
async function lookAt(url: string, signal: AbortSignal): Promise<'service' | 'server' | 'nothing'> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: heartbeatMs,
    query_timeout: heartbeatMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    for (let waited = 0; waited < heartbeatMs; waited += pollMs) {
      const { rowCount } = await client.query('SELECT FROM pg_stat_activity WHERE application_name = $1', [owner]);
      if (rowCount === 0) return 'server';
      await delay(pollMs, undefined, { signal });
    }
    return 'service';
  } catch (error) {
    signal.throwIfAborted();
    const { code = '' } = error as NodeJS.ErrnoException;
    return ['ENOENT', 'ECONNREFUSED'].includes(code) ? 'nothing' : 'server';
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function endServer(pid: number, folder: string, signal: AbortSignal) {
  log.warn({ serverPid: pid }, 'ending a database server that an earlier run left behind');
  const goneWithin = async (milliseconds: number) => {
    for (let waited = 0; waited < milliseconds; waited += pollMs) {
      if (!(await postgresProcessesOn(folder)).includes(pid)) return true;
      await delay(pollMs, undefined, { signal });
    }
    return false;
  };
  for (const [name, milliseconds] of [
    ['SIGINT', fastStopMs],
    ['SIGQUIT', immediateStopMs],
    ['SIGKILL', pollMs * 10],
  ] as const) {
    if (isAlive(pid)) process.kill(pid, name);
    if (await goneWithin(milliseconds)) return;
  }
  throw new StartError(`the database server ${pid} of an earlier run does not end`);
}
