import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  because,
  flushLog,
  isLogInTerminal,
  log,
  makeFolder,
  settlesWithin,
  StartError,
  startTracing,
} from '@taskgate/base';
import { Drain } from '@taskgate/http';
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@taskgate/postgres-server';
import { type App, buildApp, executorOf, openServer } from '../app.ts';
import { tryConnections } from '../services.ts';
import { type Config, hasPublicMetrics, loadConfig } from '../config/config.ts';
import { checkDatabase, migrate } from '../platform/migrations.ts';
import { listen, originOf, metricsEndpoint, portOf, requestEndpoint, requireFree } from './ports.ts';
import { version } from '../platform/package.ts';
import { createMetricsServer, phaseOf } from '../http/health.ts';
import { type Shutdown, StopSignal } from './shutdown.ts';

interface RunState {
  config?: Config;
  drain?: Drain;
  metrics?: Server;
  endTracing?: () => Promise<void>;
  embedded?: EmbeddedDatabase;
  app?: App;
  ready?: boolean;
}

const idleMs = 1000;
/** Time for each step. Anything left ends with the process. */
const closeTimeoutMs = 5000;

/** @returns 0 after a signal, at any moment; 1 after an error */
export async function run(shutdown: Shutdown): Promise<0 | 1> {
  const state: RunState = {};
  try {
    await start(state, shutdown);
    await shutdown.requested();
  } catch (error) {
    // Interrupted work may fail in its own ways.
    if (!(shutdown.signal.reason instanceof StopSignal)) {
      await report(error, state);
      shutdown.fail(error);
    }
  }
  await stop(state, shutdown);
  await settlesWithin(closeTimeoutMs, flushLog());
  return exitCodeOf(shutdown);
}

const exitCodeOf = ({ failed }: Shutdown) => (failed ? 1 : 0);

/** Prints one line if the start cannot continue, and unexpected errors in full. */
async function report(error: unknown, { ready }: RunState) {
  await settlesWithin(closeTimeoutMs, flushLog());
  if (error instanceof StartError) console.error(`Taskgate ${ready ? 'ends' : 'cannot start'}: ${error.message}`);
  else log.fatal({ error }, 'an unhandled error ends the service');
}

async function start(state: RunState, shutdown: Shutdown): Promise<void> {
  const { signal } = shutdown;
  const config = loadConfig();
  state.config = config;
  log.level = config.logLevel;
  for (const each of config.misspelt) log.warn(each, 'a variable is unknown, but similar to a known one');
  // Before anything is changed.
  const executor = executorOf(config);
  // A failed start prints one line: its steps have level debug.
  const steps = timedSteps('debug', 'a step of the start is done');
  state.endTracing = await startTracing(config.tracesEndpoint, { 'service.version': version });
  const server = openServer(config);
  state.drain = new Drain(server);
  const metrics = await serveMetrics(state, config, signal);
  const address = await steps.run('port', () => claimPort(server, config));
  const { databaseUrl: existingUrl } = config;
  if (existingUrl !== undefined) await steps.run('connections', () => tryDatabase(config, existingUrl, shutdown));
  await steps.run('data folder', () => openDataDir(config.dataDir));
  signal.throwIfAborted();
  const databaseUrl =
    existingUrl ?? (await steps.run('embedded database', () => startDatabase(state, config, shutdown)));
  await steps.run('migrations', () =>
    migrate(config.databaseDirectUrl ?? databaseUrl, signal).catch(because('the database cannot be used')),
  );
  // After a stop, a pending `buildApp` ends with the process.
  const printCode = config.isProduction && !isLogInTerminal ? undefined : printOneTimeCode;
  const addresses = { databaseUrl, publicUrl: config.publicUrl ?? address };
  const building = () => buildApp(config, addresses, { executor, printCode });
  const app = await steps.run('services', () => Promise.race([building(), shutdown.requested()]));
  state.app = app;
  server.off('request', starting).on('request', app.listener);
  app.attach(server);
  if (!server.listening) await listen(server, requestEndpoint(config));
  state.ready = true;
  const facts = { version, node: process.version, address, metrics, ms: steps.total(), steps: steps.milliseconds };
  log.info({ event: 'sys_startup', ...facts }, 'ready');
  console.log(`Taskgate ready at ${address}`);
}

const printOneTimeCode = (email: string, code: string) => {
  if (log.isLevelEnabled('info')) console.log(`Code for ${email}: ${code}`);
};

/** Codes of PostgreSQL that a mistake in a URL causes. */
const mistakes: Readonly<Record<string, string>> = {
  '28P01': ': the user or the password is wrong',
  '28000': ': the user may not connect from here',
  '3D000': ': the server has no database of that name',
  '53300': ': the server accepts no further connections',
};

/** Tries each URL of an existing database. @throws {StartError} naming the variable at fault */
async function tryDatabase(config: Config, databaseUrl: string, shutdown: Shutdown): Promise<void> {
  const unusable = (variable: string) => (error: NodeJS.ErrnoException) =>
    because(`${variable} has no usable database${mistakes[error.code ?? ''] ?? ''}`)(error);
  const tried = (url: string, variable: string) => checkDatabase(url, shutdown.signal).catch(unusable(variable));
  const identity = await tried(databaseUrl, 'DATABASE_URL');
  if (config.databaseDirectUrl && (await tried(config.databaseDirectUrl, 'DATABASE_DIRECT_URL')) !== identity)
    throw new StartError(
      'DATABASE_DIRECT_URL must lead to the same database as DATABASE_URL, and leads to another one',
    );
  await Promise.race([tryConnections(config, databaseUrl).catch(unusable('DATABASE_URL')), shutdown.requested()]);
}

/** Large enough to detect a full disk. */
const probe = Buffer.alloc(16 * 1024);

/**
 * Creates the folder and writes to it: permissions alone prove nothing.
 * @throws {StartError} naming the folder and the error's code
 */
async function openDataDir(dataDir: string): Promise<void> {
  const name = dataDir.length > 300 ? `${dataDir.slice(0, 300)}…` : dataDir;
  await makeFolder(dataDir).catch(because(`DATA_DIR ${name} cannot be created`));
  const file = path.join(dataDir, `.probe-${randomUUID()}`);
  await writeFile(file, probe, { flush: true })
    .finally(() => rm(file, { force: true }))
    .catch(because(`DATA_DIR ${name} cannot be written to`));
}

async function serveMetrics(state: RunState, config: Config, stop: AbortSignal): Promise<string | undefined> {
  const { metricsPort: port, metricsHost: host } = config;
  if (port === undefined || hasPublicMetrics(config)) return undefined;
  state.metrics = createMetricsServer(
    () => phaseOf(state.ready === true, stop.aborted),
    () => state.app?.services.connections,
  );
  await listen(state.metrics, metricsEndpoint(config, port));
  return `${originOf(host, portOf(state.metrics))}/metrics`;
}

async function startDatabase(state: RunState, { dataDir }: Config, shutdown: Shutdown): Promise<string> {
  state.embedded = await startEmbeddedDatabase(dataDir, { isKeptRunning: true, signal: shutdown.signal });
  return state.embedded.url;
}

/** Does not listen: proxies must try another process until this one is ready. A random port is known to nobody yet. */
async function claimPort(server: Server, config: Config): Promise<string> {
  const endpoint = requestEndpoint(config);
  if (endpoint.port === 0) await listen(server.on('request', starting), endpoint);
  else await requireFree(endpoint);
  return originOf(endpoint.host, endpoint.port || portOf(server));
}

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '1' }).end();
};

/** The database ends last. Each step has a timeout: no client, mail server or database can hold up the process. */
async function stop(state: RunState, shutdown: Shutdown): Promise<void> {
  const { config, drain, embedded, app, ready } = state;
  const { signal, urgent } = shutdown;
  const delayMs = ready && isPatient(signal.reason) ? (config?.shutdownDelayMs ?? 0) : 0;
  const level = ready ? 'info' : 'debug';
  const steps = timedSteps(level, 'a step of the stop is done');
  log[level](endOf(signal.reason), 'stopping');
  app?.announceStop();
  drain?.announce();
  // Proxies notice during this delay.
  await steps.run('announcement', () => delay(delayMs, undefined, { signal: urgent }).catch(() => undefined));
  await steps.run('end of listening', async () => drain?.stopListening());
  const ended = drain?.endConnections({
    idleMs: Math.min(idleMs, delayMs),
    timeoutMs: ready ? (config?.shutdownTimeoutMs ?? 0) : 0,
    urgent,
  });
  await steps.run('subscriptions', () => attempt('the end of subscriptions', () => app?.goAway()));
  await steps.run('requests', async () => ended);
  await steps.run('services', () => attempt('the end of background work', () => app?.close()));
  await steps.run('embedded database', async () => embedded?.stop());
  await attempt('the sending of traces', () => state.endTracing?.());
  log[level]({ exitCode: exitCodeOf(shutdown), ms: steps.total() }, 'stopped');
  state.metrics?.close();
  state.metrics?.closeAllConnections();
}

const endOf = (reason: unknown) =>
  reason instanceof StopSignal
    ? { event: 'sys_shutdown', reason: reason.signal }
    : { event: 'sys_crash', reason: reason instanceof Error ? reason.name : 'error' };

/** Whether to drain. After Ctrl-C there is no proxy, and nobody wants to wait. */
const isPatient = (reason: unknown) => reason instanceof StopSignal && reason.signal === 'SIGTERM';

async function attempt(name: string, step: () => Promise<void> | undefined): Promise<void> {
  const done = (async () => step())().catch((error: unknown) => log.error({ error }, `${name} failed`));
  if (!(await settlesWithin(closeTimeoutMs, done))) log.warn(`${name} timed out`);
}

function timedSteps(level: 'debug' | 'info', message: string) {
  const since = (moment: number) => Math.round(performance.now() - moment);
  const firstStartedAt = performance.now();
  const milliseconds: Record<string, number> = {};
  return {
    milliseconds,
    total: () => since(firstStartedAt),
    async run<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
      const startedAt = performance.now();
      const result = await work();
      const ms = since(startedAt);
      milliseconds[step] = ms;
      log[level]({ step, ms }, message);
      return result;
    },
  };
}
