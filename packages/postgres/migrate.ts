import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { log, StartError } from '@taskgate/base';
import { StartedClient } from './client.ts';
import { checkRequirements } from './requirements.ts';
import { applyFunctions, type Functions, hasTable, readFunctions } from './functions.ts';

const migrationLock = 7_265_313_024;

const connectTimeoutMs = 10_000;

interface Migration {
  name: string;
  script: string;
  /** SHA-256 in hexadecimal, as in Prisma's records. */
  checksum: string;
}

interface MigrationRecord {
  name: string;
  checksum: string;
  finished: boolean;
}

interface MigrateOptions {
  /** Has `migrations/`, as Prisma writes them, and `functions/`. */
  folder: string;
  /** Rolls back unfinished work. */
  signal?: AbortSignal | undefined;
}

/**
 * Applies missing migrations, and keeps Prisma's records. See docs/decisions/0650.
 * @returns names of the applied migrations
 * @throws {StartError} naming a migration that fails or is unknown to this version; connection errors unchanged
 */
export async function migrate(databaseUrl: string, { signal, folder }: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(path.join(folder, 'migrations'));
  const functions = await readFunctions(
    path.join(folder, 'functions'),
    migrations.map(({ name }) => name),
  );
  return withClient(databaseUrl, signal, async (client) => {
    await checkRequirements(client);
    const applied: string[] = [];
    for (;;) {
      const begun = performance.now();
      const name = await applyNext(client, migrations, functions);
      if (name === undefined) return applied;
      log.info({ migration: name, ms: Math.round(performance.now() - begun) }, 'a migration was applied');
      applied.push(name);
    }
  });
}

/**
 * Whether a database can be migrated. Changes nothing.
 * @returns the identity of the database: its name, and the start of its server
 * @throws {StartError}; connection errors unchanged
 */
export const checkDatabase = (databaseUrl: string, { signal, folder }: MigrateOptions): Promise<string> =>
  withClient(databaseUrl, signal, async (client) => {
    await checkRequirements(client);
    await checkVersion(client, folder);
    const { rows } = await client.query<{ identity: string }>(
      "SELECT concat_ws(' ', extract(epoch FROM pg_postmaster_start_time()), current_database()) AS identity",
    );
    return rows[0]?.identity ?? '';
  });

/** @param signal closes the connection, and becomes the error */
async function withClient<Result>(
  databaseUrl: string,
  signal: AbortSignal | undefined,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new StartedClient({
    connectionString: databaseUrl,
    application_name: 'taskgate-migrations',
    connectionTimeoutMillis: connectTimeoutMs,
  });
  // The running statement fails too. Without a listener the process would end.
  client.on('error', (error) => log.debug({ error }, 'the migrations lost their connection'));
  const cut = () => void client.end().catch(() => undefined);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', cut, { once: true });
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', cut);
    await client.end().catch(() => undefined);
  }
}

/**
 * Applies the first missing migration and its record in one transaction. With the last one, or if none is missing, also
 * applies the functions: former functions thus never run on the new structure. The lock belongs to the transaction, so
 * it works behind a pooler.
 */
async function applyNext(
  client: pg.Client,
  migrations: readonly Migration[],
  functions: Functions,
): Promise<string | undefined> {
  // A busy server thus notices that its client is gone. PostgreSQL for Windows lacks the setting. A migration may take
  // longer than the role's timeouts, as may the wait for another process'.
  await client.query(`
    BEGIN;
    SELECT set_config('client_connection_check_interval', '1s', true) WHERE version() !~* 'windows|mingw|visual c';
    SELECT set_config(name, '0', true) FROM pg_settings
    WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout');
    SELECT pg_advisory_xact_lock(${migrationLock})`);
  const records = await readRecords(client);
  requireKnown(records, migrations);
  const [next, ...others] = migrations.filter(
    ({ name }) => !records.some((record) => record.name === name && record.finished),
  );
  if (next) await naming(`the migration ${next.name}`, () => apply(client, next));
  if (others.length === 0) {
    const run = (file: string, sql: string) => {
      const what = `functions/${file}`;
      return naming(what, () => runScript(client, what, sql));
    };
    if (await applyFunctions(client, functions, run)) log.info('functions and triggers were applied');
  }
  await client.query('COMMIT');
  if (!next) warnOfChanged(migrations, records);
  return next?.name;
}

/** @throws {StartError} for errors of PostgreSQL, but not for lost connections */
async function naming(what: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code?.startsWith('57P')) throw error;
    const { code = '' } = error;
    const remedy = ['42501', '42P07'].includes(code) ? ': the user must own a database that only Taskgate uses' : '';
    throw new StartError(`${what} fails: ${firstLine(error.message)} (${code})${remedy}`);
  }
}

/** Changes nothing. @throws {StartError} if this version cannot start on the database */
export async function checkVersion(client: pg.Client, folder: string): Promise<void> {
  requireKnown(await readRecords(client), await readMigrations(path.join(folder, 'migrations')));
}

/** No migration leads from before the first release. A newer version's functions fit only its structure. */
function requireKnown(records: readonly MigrationRecord[], migrations: readonly Migration[]): void {
  const [first] = migrations;
  const finished = records.filter((record) => record.finished);
  const isFirst = ({ name, checksum }: MigrationRecord) => name === first?.name && checksum === first.checksum;
  if (finished.length > 0 && !finished.some(isFirst)) {
    throw new StartError('the database is of another application, or from before the first release: use an empty one');
  }
  const knownNames = new Set(migrations.map(({ name }) => name));
  const [unknown] = records.map(({ name }) => name).filter((name) => !knownNames.has(name));
  if (unknown === undefined) return;
  throw new StartError(
    `the database has the migration ${unknown}, which this version does not know: start the version that applied it, or restore a backup from before`,
  );
}

async function apply(client: pg.Client, { name, script, checksum }: Migration) {
  await client.query(`
    CREATE TABLE IF NOT EXISTS _prisma_migrations (
      id varchar(36) PRIMARY KEY NOT NULL,
      checksum varchar(64) NOT NULL,
      finished_at timestamptz,
      migration_name varchar(255) NOT NULL,
      logs text,
      rolled_back_at timestamptz,
      started_at timestamptz NOT NULL DEFAULT now(),
      applied_steps_count integer NOT NULL DEFAULT 0
    )`);
  // Another tool's unfinished migration was rolled back, or the script fails.
  await client.query(
    'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
    [name],
  );
  await runScript(client, `the migration ${name}`, script);
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** @throws {StartError} if the script ends the transaction */
async function runScript(client: pg.Client, what: string, script: string): Promise<void> {
  const transactionBefore = await transactionId(client);
  // Without values, one message may have many statements.
  await client.query(script);
  if ((await transactionId(client)) === transactionBefore) return;
  throw new StartError(`${what} ends the transaction that applies it, which is not allowed`);
}

async function transactionId(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>('SELECT pg_current_xact_id()::text AS id');
  return rows[0]?.id;
}

async function readRecords(client: pg.Client): Promise<MigrationRecord[]> {
  if (!(await hasTable(client, '_prisma_migrations'))) return [];
  const records = await client.query<MigrationRecord>(`
    SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
    FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY name`);
  return records.rows;
}

/** The database may then lack a change. */
function warnOfChanged(migrations: readonly Migration[], records: readonly MigrationRecord[]) {
  for (const { name, checksum } of migrations) {
    const changed = records.some((record) => record.name === name && record.checksum !== checksum);
    if (changed) log.warn({ migration: name }, 'a migration was changed after it was applied');
  }
}

const firstLine = (text: string) => text.split('\n')[0] ?? '';

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const script = await readFile(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, script, checksum: createHash('sha256').update(script).digest('hex') };
    }),
  );
}
