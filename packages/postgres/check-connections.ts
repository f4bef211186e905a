import pg from 'pg';
import { StartError } from '@taskgate/base';
import { startupParameters } from './client.ts';
import { type Postgres, sessionSettings } from './postgres.ts';
import { makeSettings, prepared } from './statements.ts';

/** Two might not share a pooler's server connection. */
const probes = 3;

const remedy =
  'if DATABASE_URL points to a pooler, such as PgBouncer in transaction mode, set DATABASE_TRANSACTION_POOLING=on';

const poolerErrors = new Map([
  ['08P01', `the server refuses the startup options of connections: ${remedy}`],
  ['26000', `connections do not keep their prepared statements: ${remedy}`],
  ['42P05', `connections do not keep their prepared statements: ${remedy}`],
]);

/**
 * Checks that connections keep settings and prepared statements.
 * @throws {StartError} naming the variable that helps; connection errors unchanged
 */
export async function checkConnections(connections: Postgres): Promise<void> {
  const clients: pg.PoolClient[] = [];
  let failed = true;
  try {
    while (clients.length < probes) clients.push(await connections.pool.connect());
    if (!connections.isPooledByTransaction) await checkStatements(connections, clients);
    for (const client of clients) await checkSettings(connections, client);
    failed = false;
  } catch (error) {
    const explained = error instanceof pg.DatabaseError ? poolerErrors.get(error.code ?? '') : undefined;
    throw explained === undefined ? error : new StartError(explained);
  } finally {
    for (const client of clients) client.release(failed);
  }
}

/** A pooler gives the others the first client's server connection, or moves the first client to another one. */
async function checkStatements(connections: Postgres, clients: readonly pg.PoolClient[]) {
  const run = (client: pg.PoolClient) => client.query(prepared(connections, 'SELECT $1::text AS probe', ['prepared']));
  const [first, ...others] = clients;
  if (!first) return;
  await run(first);
  for (const client of others) {
    await client.query('BEGIN');
    await run(client);
  }
  await run(first);
  for (const client of others) await client.query('COMMIT');
}

async function checkSettings(connections: Postgres, client: pg.PoolClient) {
  const expected = { ...startupParameters, ...sessionSettings };
  await client.query('BEGIN');
  await makeSettings(connections, async (text, values) => void (await client.query(text, values)));
  const { rows } = await client.query<{ name: string; value: string | null }>(
    `SELECT name, coalesce(
       (SELECT setting FROM pg_settings WHERE pg_settings.name = asked.name), current_setting(name, true)
     ) AS value
     FROM unnest($1::text[]) AS asked (name)`,
    [Object.keys(expected)],
  );
  await client.query('COMMIT');
  const wrong = rows.filter(({ name, value }) => value !== expected[name as keyof typeof expected]);
  if (wrong.length === 0) return;
  const names = wrong.map(({ name }) => name).join(', ');
  const advice = connections.isPooledByTransaction ? 'the pooler must keep them for each client' : remedy;
  throw new StartError(`connections lose their startup settings (${names}): ${advice}`);
}
