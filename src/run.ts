import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type App, buildApp } from './app.ts';
import { type Config, loadConfig } from './config.ts';
import { openDataDir } from './data-dir.ts';
import { type EmbeddedDatabase, startEmbeddedDatabase } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { Drain } from './drain.ts';
import { createHttpServer } from './kernel/http-server.ts';
import { flushLog, log } from './kernel/logger.ts';
import { within } from './kernel/within.ts';
import { type Shutdown, StopSignal } from './shutdown.ts';
import { because, StartError } from './start-error.ts';

/** What has been begun so far, and has to be ended. */
interface Begun {
  config?: Config;
  drain?: Drain;
  embedded?: EmbeddedDatabase;
  app?: App;
  /** Whether it has said that it is ready. */
  ready?: boolean;
}

/** Milliseconds for which a connection without a request stays open after the last use while the service stops. */
const idleMs = 1000;
/** Milliseconds in which background work and connections are closed; what is left ends with the process. */
const closeTimeoutMs = 5000;

/**
 * Runs the service until it is told to stop.
 * @returns the exit code of the process: 0 where it was asked to end, at whatever moment; 1 after an error
 */
export async function run(shutdown: Shutdown): Promise<0 | 1> {
  const begun: Begun = {};
  try {
    await start(begun, shutdown);
    await shutdown.requested();
  } catch (error) {
    // What was broken off at a signal may fail in ways of its own.
    if (!(shutdown.signal.reason instanceof StopSignal)) {
      report(error, begun);
      shutdown.fail(error);
    }
  }
  await stop(begun, shutdown);
  return shutdown.failed ? 1 : 0;
}

/** One clear line where the start cannot go on; anything unforeseen is shown whole. */
function report(error: unknown, { ready }: Begun) {
  flushLog();
  if (error instanceof StartError) console.error(`Taskgate ${ready ? 'ends' : 'cannot start'}: ${error.message}`);
  else log.fatal({ error }, 'an error that nothing handled ends the service');
}

async function start(begun: Begun, shutdown: Shutdown): Promise<void> {
  const { signal } = shutdown;
  const config = loadConfig();
  begun.config = config;
  log.level = config.logLevel;
  await openDataDir(config.dataDir);
  signal.throwIfAborted();
  const server = createHttpServer();
  begun.drain = new Drain(server);
  const address = await claimPort(server, config);
  const databaseUrl = config.databaseUrl ?? (await startDatabase(begun, config, shutdown));
  await migrate(config.databaseDirectUrl ?? databaseUrl, { signal }).catch(because('the database cannot be used'));
  const building = buildApp(config, { databaseUrl, publicUrl: config.publicUrl ?? address });
  // Where the process is to end meanwhile, what is being opened ends with it.
  const app = await Promise.race([building, shutdown.requested()]);
  begun.app = app;
  server.off('request', starting).on('request', app.listener);
  app.attach(server);
  if (!server.listening) await listen(server, config);
  begun.ready = true;
  console.log(`Taskgate ready at ${address}`);
}

async function startDatabase(begun: Begun, { dataDir }: Config, shutdown: Shutdown): Promise<string> {
  const embedded = await startEmbeddedDatabase(dataDir, { signal: shutdown.signal });
  begun.embedded = embedded;
  void embedded.ended.then(() => {
    if (!shutdown.signal.aborted) shutdown.fail(new StartError('the embedded database has ended by itself'));
  });
  return embedded.url;
}

/**
 * Looks at the port before the database is begun: where it is another's, nothing else is. A port that is given is left
 * again, so that proxies are refused, and try another process, until requests are served. One that is free for the asking
 * is kept; nobody knows it before the ready line.
 */
async function claimPort(server: Server, config: Config): Promise<string> {
  const claimed = config.port === 0 ? server.on('request', starting) : createServer();
  await listen(claimed, config);
  const address = originOf(claimed, config);
  if (claimed !== server) await new Promise((resolve) => claimed.close(resolve));
  return address;
}

async function listen(server: Server, { port, host }: Config): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch(because(`port ${port} of ${host} cannot be taken`));
}

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '1' }).end();
};

function originOf(server: Server, { host }: Config): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * Ends what has been begun, the database last. Each step has an end of its own: nothing that a client, a mail server or
 * the database does or leaves undone holds up the process.
 */
async function stop({ config, drain, embedded, app, ready }: Begun, shutdown: Shutdown): Promise<void> {
  const { signal, urgent } = shutdown;
  const delayMs = ready && isPatient(signal.reason) ? (config?.shutdownDelayMs ?? 0) : 0;
  app?.announceStop();
  drain?.announce();
  // Proxies learn meanwhile that this process is to be sent nothing more.
  await delay(delayMs, undefined, { signal: urgent }).catch(() => undefined);
  await drain?.stopListening();
  const ended = drain?.endConnections({
    idleMs: Math.min(idleMs, delayMs),
    timeoutMs: ready ? (config?.shutdownTimeoutMs ?? 0) : 0,
    urgent,
  });
  await attempt('the end of subscriptions', () => app?.goAway());
  await ended;
  await attempt('the end of background work', () => app?.close());
  await embedded?.stop();
}

/** A supervisor's signal: whoever presses Ctrl-C has no proxy in front, and does not want to wait. */
const isPatient = (reason: unknown) => reason instanceof StopSignal && reason.signal === 'SIGTERM';

async function attempt(name: string, step: () => Promise<void> | undefined): Promise<void> {
  const done = (async () => step())().catch((error: unknown) => log.error({ error }, `${name} failed`));
  if (!(await within(closeTimeoutMs, done))) log.warn(`${name} takes too long, and is given up`);
}
