import pg from 'pg';
import type { Service } from './service.ts';
import { statementsOfSenders } from './statements.ts';
import { until } from './until.ts';

/** A transaction outside the service that holds locks, as another process or an operator does. */
export interface LockHolder {
  sql(text: string, values?: unknown[]): Promise<unknown>;
  release(): Promise<void>;
}

/** Begins a transaction outside the service. The test must release it. */
export async function openLockHolder({ databaseUrl }: Pick<Service, 'databaseUrl'>): Promise<LockHolder> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A test may stop the server.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  let isOpen = true;
  return {
    sql: (text, values) => client.query(text, values),
    async release() {
      if (!isOpen) return;
      isOpen = false;
      await client.query('COMMIT');
      await client.end();
    },
  };
}

/** Begins a transaction that locks spaces, as a writer does. */
export async function lockSpaces(service: Service, ...ids: string[]): Promise<LockHolder> {
  const lockHolder = await openLockHolder(service);
  await lockHolder.sql('SELECT lock_spaces($1)', [ids]);
  return lockHolder;
}

/** Connections of the service. The workers for mails are left out. */
const requestConnections = `
  datname = current_database() AND application_name = 'taskgate' AND query !~ '^/\\* (${statementsOfSenders.join('|')}) '`;

export async function untilWaiting(service: Service, count: number): Promise<void> {
  const blockedStatements = `SELECT FROM pg_stat_activity WHERE ${requestConnections} AND wait_event_type = 'Lock'`;
  await until(`${count} statements wait for locks`, async () => (await service.sql(blockedStatements)).length >= count);
}

export async function untilIdle(service: Service): Promise<void> {
  const runningStatements = `SELECT FROM pg_stat_activity WHERE ${requestConnections} AND state = 'active'`;
  await until('no statement runs', async () => (await service.sql(runningStatements)).length === 0);
}

/** Counts the deadlocks in the database. Ends the service's connections, because each reports its count when it ends. */
export async function deadlocks(service: Service): Promise<number> {
  const waitMs = 10_000;
  await service.sql(
    `SELECT pg_terminate_backend(pid, ${waitMs}) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'taskgate'`,
  );
  const [row] = await service.sql<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return row?.deadlocks ?? 0;
}
