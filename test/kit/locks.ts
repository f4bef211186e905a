import pg from 'pg';
import type { Service } from './service.ts';
import { statementsOfMails } from './statements.ts';
import { until } from './until.ts';

/** A transaction outside the service that holds locks, as another process or an operator does. */
export interface Holder {
  sql(text: string, values?: unknown[]): Promise<unknown>;
  release(): Promise<void>;
}

/** Begins a transaction outside the service. The test must release it. */
export async function holder({ databaseUrl }: Pick<Service, 'databaseUrl'>): Promise<Holder> {
  const client = new pg.Client({ connectionString: databaseUrl });
  // A test may stop the server.
  client.on('error', () => undefined);
  await client.connect();
  await client.query('BEGIN');
  let held = true;
  return {
    sql: (text, values) => client.query(text, values),
    async release() {
      if (!held) return;
      held = false;
      await client.query('COMMIT');
      await client.end();
    },
  };
}

/** Begins a transaction that locks spaces, as a writer does. */
export async function holdSpaces(service: Service, ...ids: string[]): Promise<Holder> {
  const held = await holder(service);
  await held.sql('SELECT lock_spaces($1)', [ids]);
  return held;
}

/** Connections of the service. The workers for mails are left out. */
const ofRequests = `
  datname = current_database() AND application_name = 'taskgate' AND query !~ '^/\\* (${statementsOfMails.join('|')}) '`;

export async function untilWaiting(service: Service, count: number): Promise<void> {
  const waiting = `SELECT FROM pg_stat_activity WHERE ${ofRequests} AND wait_event_type = 'Lock'`;
  await until(`${count} statements wait for locks`, async () => (await service.sql(waiting)).length >= count);
}

export async function untilIdle(service: Service): Promise<void> {
  const running = `SELECT FROM pg_stat_activity WHERE ${ofRequests} AND state = 'active'`;
  await until('no statement runs', async () => (await service.sql(running)).length === 0);
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
