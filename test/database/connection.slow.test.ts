import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { holdConnection, withConnection } from '../../src/database/connection.ts';
import { startPgBouncer } from '../kit/pgbouncer.ts';
import { createTestDatabase } from '../kit/postgres.ts';

const queryCanceled = '57014';

let databaseUrl: string;
beforeAll(async () => {
  databaseUrl = await createTestDatabase();
});

const pools: pg.Pool[] = [];
function poolOf(connectionString: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...options, connectionString, max: 1 });
  pools.push(pool);
  return pool;
}
afterAll(() => Promise.all(pools.map((pool) => pool.end())));

const stateOf = async (run: Promise<unknown>): Promise<string> =>
  run.then(
    () => 'done',
    (error: unknown) => (error instanceof pg.DatabaseError ? (error.code ?? '') : String(error)),
  );

function nextCancelRequest(): Promise<void> {
  const prototype = pg.Connection.prototype as unknown as { cancel: (this: pg.Connection, ...args: unknown[]) => void };
  const { cancel } = prototype;
  return new Promise((resolve) => {
    prototype.cancel = function (...args) {
      prototype.cancel = cancel;
      this.once('end', resolve);
      cancel.apply(this, args);
    };
  });
}

/** Aborts the statement before its end, at it, or after it. */
async function runAborted(pool: pg.Pool, turns: number): Promise<string> {
  const abortion = new AbortController();
  const { client, release } = await holdConnection(pool, abortion.signal);
  const state = stateOf(client.query('SELECT pg_sleep(0.001)'));
  for (let count = 0; count < turns; count += 1) await turn();
  abortion.abort();
  await release();
  return state;
}

/** Unexpected outcomes of aborted statements, and outcomes of the next statement on the connection. */
async function outcomes(pool: pg.Pool) {
  const aborted = new Set<string>();
  const next = new Set<string>();
  const connections = new Set<unknown>();
  for (let round = 0; round < 200; round += 1) {
    aborted.add(await runAborted(pool, round % 40));
    const following = pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_sleep(0.002)');
    next.add(await stateOf(following.then(({ rows: [row] }) => connections.add(row?.pid))));
  }
  // Timing decides how many were cancelled.
  const others = [...aborted].filter((state) => state !== queryCanceled && state !== 'done');
  return { others, next: [...next], connections: connections.size };
}

describe('a held connection', () => {
  test('has its statement cancelled where the signal is aborted, and is used on', async () => {
    const pool = poolOf(databaseUrl);
    const abortion = new AbortController();
    const { client, release } = await holdConnection(pool, abortion.signal);
    const endless = client.query('SELECT pg_sleep(3600)');
    abortion.abort();
    await expect(endless).rejects.toMatchObject({ code: queryCanceled });
    await release();
    expect(pool.idleCount).toBe(1);
  });

  test('has its statement cancelled also where PostgreSQL is asked before it has the statement', async () => {
    const pool = poolOf(databaseUrl, { options: '-c statement_timeout=20s' });
    const abortion = new AbortController();
    const { client, release } = await holdConnection(pool, abortion.signal);
    const asked = nextCancelRequest();
    abortion.abort();
    await asked;
    await expect(client.query('SELECT pg_sleep(3600)')).rejects.toThrow('canceling statement due to user request');
    await release();
    expect(pool.idleCount).toBe(1);
  });

  test('is given back before it is used where the signal was aborted meanwhile', async () => {
    const pool = poolOf(databaseUrl);
    const first = await holdConnection(pool);
    const abortion = new AbortController();
    const waiting = holdConnection(pool, abortion.signal);
    abortion.abort(new Error('gone'));
    await first.release();
    await expect(waiting).rejects.toThrow('gone');
    await expect(holdConnection(pool, abortion.signal)).rejects.toThrow('gone');
    expect([pool.idleCount, pool.waitingCount]).toEqual([1, 0]);
  });

  test('is closed where it is broken', async () => {
    const pool = poolOf(databaseUrl);
    const { release } = await holdConnection(pool);
    await release(true);
    expect(pool.totalCount).toBe(0);
  });

  test('is closed where PostgreSQL cannot be asked to cancel', async () => {
    const pool = poolOf(databaseUrl);
    const abortion = new AbortController();
    const { client, release } = await holdConnection(pool, abortion.signal);
    const { port } = client;
    client.port = 1;
    abortion.abort();
    await release();
    client.port = port;
    expect(pool.totalCount).toBe(0);
  });

  test('is closed where its statement may still run, as nobody waits for it any longer', async () => {
    const pool = poolOf(databaseUrl, { query_timeout: 50 });
    const slow = withConnection(pool, undefined, (client) => client.query('SELECT pg_sleep(1)'));
    await expect(slow).rejects.toThrow('Query read timeout');
    expect(pool.totalCount).toBe(0);
  });

  test('is used on where PostgreSQL has refused its statement', async () => {
    const pool = poolOf(databaseUrl);
    const refused = withConnection(pool, undefined, (client) => client.query('SELECT 1 / 0'));
    await expect(refused).rejects.toMatchObject({ code: '22012' });
    expect(pool.idleCount).toBe(1);
  });

  test('never has the statement cancelled that comes next', async () => {
    expect(await outcomes(poolOf(databaseUrl))).toEqual({ others: [], next: ['done'], connections: 1 });
  });

  test('behind a pooler of transactions neither has its own nor those of others', async () => {
    const bouncer = await startPgBouncer(databaseUrl, ['default_pool_size = 1']);
    if (!bouncer) return console.warn('not tried: there is no pgbouncer on this machine');
    const others = poolOf(bouncer.url);
    const ofOthers = new Set<string>();
    const over = new AbortController();
    const beside = (async () => {
      while (!over.signal.aborted) ofOthers.add(await stateOf(others.query('SELECT pg_sleep(0.001)')));
    })();
    const seen = await outcomes(poolOf(bouncer.url));
    over.abort();
    await beside;
    expect(seen).toEqual({ others: [], next: ['done'], connections: 1 });
    expect([...ofOthers]).toEqual(['done']);
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await bouncer.close();
  });
});
