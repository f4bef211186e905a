import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { log, settlesWithin, StartError } from '@taskgate/base';
import { type Account, spawnAs } from './processes.ts';

/** Address and port, or the folder and port of a Unix socket. */
export interface Endpoint {
  host: string;
  port: number;
}

export const loopback = '127.0.0.1';
const socketPort = 5432;
export const socketLock = `.s.PGSQL.${socketPort}.lock`;

/** Reads it from a PID file. */
export function endpointIn(pidFile: string): Endpoint {
  const [, , , port = '', folder = ''] = pidFile.split('\n');
  return { host: folder || loopback, port: Number(port) };
}

export interface Server {
  endpoint: Endpoint;
  /** Settles when all processes of the server have ended. */
  ended: Promise<void>;
  /** Never rejects. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  folder: string;
  postgres: string;
  account: Account | undefined;
  durable: boolean;
  /** Default: a Unix socket in the folder, which no other account can reach, or a free port of 127.0.0.1. */
  endpoint: Endpoint | undefined;
  signal: AbortSignal;
}

/** Mildest first, with milliseconds to end. */
const stopSteps = [
  // Rolls back open transactions, and writes committed data to the disk.
  ['SIGINT', 5_000],
  // Leaves recovery to the next start. PostgreSQL kills remaining processes after five seconds.
  ['SIGQUIT', 8_000],
  ['SIGKILL', 2_000],
] as const;

/** Another program may take a free port first. */
const portTries = 5;

async function* endpointsOf({ folder, endpoint }: ServerOptions): AsyncGenerator<Endpoint> {
  if (endpoint && endpoint.port > 0) {
    yield endpoint;
    return;
  }
  if (!endpoint && process.platform !== 'win32') yield { host: folder, port: socketPort };
  for (let tries = 1; tries <= portTries; tries += 1) yield { host: loopback, port: await freePort() };
}

/** @throws {StartError}; the signal's reason, after the server has ended */
export async function startServer(options: ServerOptions): Promise<Server> {
  let failure = '';
  for await (const endpoint of endpointsOf(options)) {
    options.signal.throwIfAborted();
    const server = run(options, endpoint);
    const reason = await ready(server, options.signal);
    if (reason === undefined) return { ...server, endpoint };
    await server.stop();
    options.signal.throwIfAborted();
    failure = reason;
    if (!/could not create any .* sockets/.test(failure)) break;
  }
  const remedy = failure.includes('incompatible with server') ? otherVersion : '';
  throw new StartError(`PostgreSQL does not start: ${failure}${remedy}`);
}

const otherVersion = `: the data folder was created by another version of Taskgate; npm run upgrade converts it, see "Upgrades" in docs/operations.md`;

type Running = Omit<Server, 'endpoint'> & { child: ChildProcess };

function run({ account, folder, postgres, durable }: ServerOptions, { host, port }: Endpoint): Running {
  const isSocket = host === folder;
  const settings = {
    port,
    // A list with quoted items.
    unix_socket_directories: isSocket ? `"${host.replaceAll('"', '""')}"` : '',
    listen_addresses: isSocket ? '' : host,
    max_connections: 200,
    jit: 'off',
    ...(!durable && { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
  };
  const child = spawnAs(
    account,
    postgres,
    ['-D', folder, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    // Ctrl-C then reaches only the service, which ends the database last.
    { detached: true, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    child,
    ended,
    async stop() {
      for (const [signal, milliseconds] of stopSteps) {
        if (child.exitCode === null && child.signalCode === null) child.kill(signal);
        if (await settlesWithin(milliseconds, ended)) return;
        log.warn({ signal }, 'the database server does not end in time');
      }
    },
  };
}

/** A starting server refuses each connection with such a line, which is not why it ends. */
const refusesConnection = /^(the database system is|sorry, too many clients)/;

/** Waits until the server is ready, and forwards its log. @returns the failure, or undefined */
async function ready({ child }: Running, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reasons: string[] = [];
    const give = (reason: string | undefined) => {
      signal.removeEventListener('abort', onAbort);
      resolve(reason);
    };
    const onAbort = () => give('it was stopped');
    signal.addEventListener('abort', onAbort, { once: true });
    if (child.stderr) {
      createInterface(child.stderr).on('line', (line) => {
        log.debug({ postgres: line });
        const [, reason] = /(?:FATAL|PANIC): +(.*)$/.exec(line) ?? [];
        if (reason !== undefined && !refusesConnection.test(reason)) reasons.push(reason);
        if (/database system is ready to accept (read-only )?connections/.test(line)) give(undefined);
      });
    }
    child.once('error', (error) => give(error.message));
    child.once('close', () => give(reasons[0] ?? 'it ended immediately'));
  });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, loopback);
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
