import { access, constants, mkdir } from 'node:fs/promises';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import closeWithGrace from 'close-with-grace';
import { type App, buildApp } from './app.ts';
import { type Config, ConfigError, loadConfig } from './config.ts';
import { type EmbeddedDatabase, EmbeddedDatabaseError, startEmbeddedDatabase } from './database/embedded.ts';
import { migrate } from './database/migrate.ts';
import { drainable } from './drain.ts';
import { createHttpServer } from './kernel/http-server.ts';
import { flushLog, log } from './kernel/logger.ts';

/** The start cannot go on; the message says why in one line. */
class StartError extends Error {}

/** Ends the process with one clear line; anything unforeseen is shown whole. */
function fail(error: unknown): never {
  flushLog();
  const foreseen = [ConfigError, StartError, EmbeddedDatabaseError].some((type) => error instanceof type);
  console.error(foreseen ? `Taskgate cannot start: ${(error as Error).message}` : error);
  process.exit(1);
}

const because = (what: string) => (error: NodeJS.ErrnoException) => {
  if (error instanceof EmbeddedDatabaseError) throw error;
  throw new StartError(`${what} (${error.code ?? error.message.split('\n')[0]})`);
};

/** Takes the port first: where that fails, nothing else has been begun. Until the app is there, it answers 503. */
async function listen({ port, host }: Config): Promise<Server> {
  const server = createHttpServer();
  server.on('request', starting);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch(because(`port ${port} of ${host} cannot be taken`));
  return server;
}

const starting: RequestListener = (_request, response) => {
  response.writeHead(503, { 'Retry-After': '1' }).end();
};

function originOf(server: Server, { host }: Config): string {
  const { port } = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

async function start(): Promise<void> {
  const config = loadConfig();
  await mkdir(config.dataDir, { recursive: true }).catch(because(`DATA_DIR ${config.dataDir} cannot be made`));
  await access(config.dataDir, constants.W_OK).catch(because(`DATA_DIR ${config.dataDir} cannot be written to`));
  const server = await listen(config);
  const drain = drainable(server);
  const embedded = config.databaseUrl === undefined ? await startEmbeddedDatabase(config.dataDir) : undefined;
  const databaseUrl = config.databaseUrl ?? embedded?.url ?? '';
  try {
    await migrate(databaseUrl).catch(because('the database cannot be used'));
    const address = originOf(server, config);
    const app = await buildApp(config, { databaseUrl, publicUrl: config.publicUrl ?? address });
    server.off('request', starting).on('request', app.listener);
    app.attach(server);
    stopOnSignal(drain, app, embedded);
    console.log(`Taskgate ready at ${address}`);
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/** On SIGTERM or SIGINT: take nothing new, finish what is under way, then end the database. */
function stopOnSignal(drain: () => Promise<void>, app: App, embedded: EmbeddedDatabase | undefined) {
  let stopping = false;
  void embedded?.ended.then(() => {
    if (stopping) return;
    log.fatal('the embedded database has ended by itself');
    process.exit(1);
  });
  closeWithGrace({ delay: 10_000, logger: false }, async ({ err }) => {
    stopping = true;
    if (err) log.fatal({ error: err }, 'an error that nothing handled ends the service');
    const drained = drain();
    await app.goAway();
    await drained;
    await app.close();
    await embedded?.stop();
  });
}

start().catch(fail);
