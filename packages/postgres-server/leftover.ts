import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { log, StartError } from '@taskgate/base';
import { owner, urlOf } from './cluster.ts';
import { isAlive, postgresProcessesOn } from './processes.ts';
import { endpointIn, loopback, socketLock } from './server.ts';

/** Connections of a killed service may need a moment to close. */
const heartbeatMs = 3_000;
/** A fast shutdown writes all data in memory to the disk. */
const fastStopMs = 10_000;
const immediateStopMs = 10_000;
const pollMs = 100;

export const inUse = () => new StartError('the data folder is in use by another Taskgate');

/**
 * Ends a server that a killed run left, and disables a stale PID file. The caller holds the folder's lock.
 * @throws {StartError} if a living service uses the server
 */
export async function clearLeftover(folder: string, password: string, signal: AbortSignal): Promise<void> {
  const pidFile = path.join(folder, 'postmaster.pid');
  const content = await readFile(pidFile, 'utf8').catch(() => undefined);
  if (content === undefined) return;
  const lines = content.split('\n');
  const pid = Number(lines[0]);
  const servers = await postgresProcessesOn(folder);
  const endpoint = endpointIn(content);
  const running = await probe(urlOf(endpoint, password), signal);
  // Without a process here, it runs in another container.
  const isElsewhere = servers.length === 0 && running === 'server' && endpoint.host !== loopback;
  if (running === 'service' || isElsewhere) throw inUse();
  for (const server of servers) await endServer(server, folder, signal);
  if (servers.length > 0) return;
  await rm(path.join(folder, socketLock), { force: true });
  if (!Number.isInteger(pid) || pid <= 0) {
    log.warn('removing a PID file of the database without a process id');
    await rm(pidFile, { force: true });
  } else if (isAlive(pid)) {
    // PostgreSQL refuses to start if another program has this PID, but accepts its parent's. It then checks whether the
    // file's shared memory is in use.
    log.warn({ pid }, 'the PID file of the database is stale: another program has its process id');
    await writeFile(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
  }
}

async function probe(url: string, signal: AbortSignal): Promise<'service' | 'server' | 'nothing'> {
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
