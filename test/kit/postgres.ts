import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { log } from '@taskgate/base';
import { startEmbeddedDatabase } from '@taskgate/postgres-server';
import { migrate } from '../../src/platform/migrations.ts';
import { startPostgresVersion } from './postgres-version.ts';

const template = 'taskgate_template';
/** Environment variable with the server's URL. */
const variable = 'TASKGATE_TEST_POSTGRES';

/** Starts the server and migrates the template. Called once per run. `TASKGATE_TESTS_POSTGRES` selects a major version of `test/postgres`. */
export async function startTestPostgres(): Promise<{ stop(): Promise<void> }> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'taskgate-test-'));
  await chmod(folder, 0o711);
  const version = process.env['TASKGATE_TESTS_POSTGRES'];
  const server = await (version
    ? startPostgresVersion(folder, version)
    : startEmbeddedDatabase(folder, { durable: false, forTools: true }));
  endWithProcess(folder);
  const url = new URL(server.url);
  url.pathname = '/postgres';
  await onServer(url.href, (client) => client.query(`CREATE DATABASE ${template}`));
  process.env[variable] = url.href;
  log.level = 'silent';
  await migrate(databaseUrl(template));
  return {
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the server on the folder if the run is interrupted. */
export function endWithProcess(folder: string): void {
  process.once('exit', () => {
    try {
      const [pid] = readFileSync(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
    } catch {
      // It has ended already.
    }
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1));
}

function databaseUrl(name: string): string {
  const url = new URL(process.env[variable] ?? '');
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: 'taskgate-test' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export const sqlAt = <Row extends object>(url: string, text: string, values?: unknown[]): Promise<Row[]> =>
  onServer(url, async (client) => (await client.query<Row>(text, values)).rows);

/** Excludes other test files while `work` runs. */
export const withServerLock = (work: () => Promise<unknown>) =>
  onServer(databaseUrl('postgres'), async (client) => {
    await client.query('SELECT pg_advisory_lock(1)');
    await work();
  });

/** @returns its URL */
export async function createTestDatabase({ migrated = true } = {}): Promise<string> {
  const name = `test_${process.env['JEST_WORKER_ID'] ?? '0'}_${process.hrtime.bigint()}`;
  await onServer(databaseUrl('postgres'), (client) =>
    client.query(`CREATE DATABASE ${name} TEMPLATE ${migrated ? template : 'template0'}`),
  );
  return databaseUrl(name);
}
