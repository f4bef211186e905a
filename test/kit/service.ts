import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isNonNullType } from 'graphql';
import pg from 'pg';
import { log } from '@taskgate/base';
import type { HttpLimits } from '@taskgate/http';
import { Overload } from '@taskgate/work';
import { type AppOptions, buildApp, openServer } from '../../src/app.ts';
import { loadConfig } from '../../src/config/config.ts';
import { builder } from '../../src/graphql/builder.ts';
import type { AppServices } from '../../src/services.ts';
import { Client } from './client.ts';
import { Mailbox } from './mailbox.ts';
import { createTestDatabase } from './postgres.ts';
import { watchStatements, inRequestContext } from './statements.ts';

// Rows of a resolver that ignores its selection are read again. A nullable field may be null without a read.
builder.options.prisma.onUnusedQuery = ({ parentType, fieldName, returnType }) => {
  if (isNonNullType(returnType))
    throw new Error(`the resolver of ${parentType.name}.${fieldName} ignores its selection`);
};

export interface ServiceAccess {
  /** Origin, such as `http://127.0.0.1:40123`. */
  url: string;
  mailbox: Mailbox;
  /** New for each access. */
  readonly anonymous: Client;
  client(cookie?: string): Client;
}

export const accessService = (url: string, dataDir: string): ServiceAccess => ({
  url,
  mailbox: new Mailbox(dataDir),
  get anonymous() {
    return new Client(url);
  },
  client: (cookie) => new Client(url, cookie),
});

export interface Service extends ServiceAccess {
  services: AppServices;
  databaseUrl: string;
  dataDir: string;
  /** Environment of another process of the same installation, with the same folder of mails. */
  variables: { DATABASE_URL: string; DATA_DIR: string };
  /** Runs outside the service. */
  sql<Row extends object = Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface ServiceOptions extends AppOptions {
  databaseUrl?: string;
  /** URL for the service only, such as a fault proxy's. */
  serviceDatabaseUrl?: string;
  http?: Partial<HttpLimits>;
}

watchStatements();

/** Boots the whole service on a free port. A process runs one at a time, as in production. */
export async function startService(
  variables: Record<string, string> = {},
  { databaseUrl: existingUrl, serviceDatabaseUrl, http, ...options }: ServiceOptions = {},
): Promise<Service> {
  const existingDir = variables['DATA_DIR'];
  const dataDir = existingDir ?? (await mkdtemp(path.join(os.tmpdir(), 'taskgate-data-')));
  const databaseUrl = existingUrl ?? (await createTestDatabase());
  const config = loadConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    LOG_LEVEL: 'silent',
    // All users of a test file share one address.
    RATE_LIMITS: 'off',
    ...variables,
  });
  log.level = config.logLevel;
  const server = openServer(config, http);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const location = { databaseUrl: serviceDatabaseUrl ?? databaseUrl, publicUrl: config.publicUrl ?? url };
  // The test shares the event loop, so its delay says nothing about the service.
  const { overload = new Overload({}, () => 0) } = options;
  const app = await buildApp(config, location, { ...options, overload }).catch((error: unknown) => {
    server.close();
    throw error;
  });
  server.on('request', inRequestContext(app.listener));
  app.attach(server);
  const pool = new pg.Pool({ connectionString: databaseUrl, application_name: 'taskgate-test', max: 4 });
  // A test may cut these connections too.
  pool.on('error', () => undefined);
  return Object.assign(accessService(url, dataDir), {
    services: app.services,
    databaseUrl,
    dataDir,
    variables: { DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
    sql: async <Row extends object>(text: string, values?: unknown[]) => (await pool.query(text, values)).rows as Row[],
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      await app.goAway();
      server.closeAllConnections();
      await closed;
      await app.close();
      await pool.end();
      if (existingDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  });
}
