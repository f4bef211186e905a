import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { holdConnection, withConnection } from '../connection.ts';
import { startPgBouncer } from '../../../test/kit/pgbouncer.ts';
import { createTestDatabase } from '../../../test/kit/postgres.ts';

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
async function runAborted(pool: pg.Pool, rounds: number): Promise<string> {
  const controller = new AbortController();
  const { client, release } = await holdConnection(pool, controller.signal);
  const state = stateOf(client.query('SELECT pg_sleep(0.001)'));
  for (let count = 0; count < rounds; count += 1) await turn();
  controller.abort();
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
  test('has its statement cancelled if the signal aborts, and is used again', async () => {
    const pool = poolOf(databaseUrl);
    const controller = new AbortController();
    const { client, release } = await holdConnection(pool, controller.signal);
    const endlessQuery = client.query('SELECT pg_sleep(3600)');
    controller.abort();
    await expect(endlessQuery).rejects.toMatchObject({ code: queryCanceled });
    await release();
    expect(pool.idleCount).toBe(1);
  });

  test('has its statement cancelled even if PostgreSQL gets the cancel request first', async () => {
    const pool = poolOf(databaseUrl, { options: '-c statement_timeout=20s' });
    const controller = new AbortController();
    const { client, release } = await holdConnection(pool, controller.signal);
    const cancelRequested = nextCancelRequest();
    controller.abort();
    await cancelRequested;
    await expect(client.query('SELECT pg_sleep(3600)')).rejects.toThrow('canceling statement due to user request');
    await release();
    expect(pool.idleCount).toBe(1);
  });

  test('is released before use if the signal has aborted in the meantime', async () => {
    const pool = poolOf(databaseUrl);
    const first = await holdConnection(pool);
    const controller = new AbortController();
    const pendingConnection = holdConnection(pool, controller.signal);
    controller.abort(new Error('gone'));
    await first.release();
    await expect(pendingConnection).rejects.toThrow('gone');
    await expect(holdConnection(pool, controller.signal)).rejects.toThrow('gone');
    expect([pool.idleCount, pool.waitingCount]).toEqual([1, 0]);
  });

  test('is closed if it is broken', async () => {
    const pool = poolOf(databaseUrl);
    const { release } = await holdConnection(pool);
    await release(true);
    expect(pool.totalCount).toBe(0);
  });

  test('is closed if the cancel request fails', async () => {
    const pool = poolOf(databaseUrl);
    const controller = new AbortController();
    const { client, release } = await holdConnection(pool, controller.signal);
    const { port } = client;
    client.port = 1;
    controller.abort();
    await release();
    client.port = port;
    expect(pool.totalCount).toBe(0);
  });

  test('is closed if its statement may still run and nobody waits for it', async () => {
    const pool = poolOf(databaseUrl, { query_timeout: 50 });
    const slowQuery = withConnection(pool, undefined, (client) => client.query('SELECT pg_sleep(1)'));
    await expect(slowQuery).rejects.toThrow('Query read timeout');
    expect(pool.totalCount).toBe(0);
  });

  test('is used again if PostgreSQL has refused its statement', async () => {
    const pool = poolOf(databaseUrl);
    const failingQuery = withConnection(pool, undefined, (client) => client.query('SELECT 1 / 0'));
    await expect(failingQuery).rejects.toMatchObject({ code: '22012' });
    expect(pool.idleCount).toBe(1);
  });

  test('never has its next statement cancelled', async () => {
    expect(await outcomes(poolOf(databaseUrl))).toEqual({ others: [], next: ['done'], connections: 1 });
  });

  test("has no statement cancelled behind a transaction pooler, neither its own nor another's", async () => {
    const bouncer = await startPgBouncer(databaseUrl, ['default_pool_size = 1']);
    if (!bouncer) return console.warn('not tried: there is no pgbouncer on this machine');
    const others = poolOf(bouncer.url);
    const otherStates = new Set<string>();
    const finished = new AbortController();
    const observer = (async () => {
      while (!finished.signal.aborted) otherStates.add(await stateOf(others.query('SELECT pg_sleep(0.001)')));
    })();
    const observed = await outcomes(poolOf(bouncer.url));
    finished.abort();
    await observer;
    expect(observed).toEqual({ others: [], next: ['done'], connections: 1 });
    expect([...otherStates]).toEqual(['done']);
    await Promise.all(pools.splice(0).map((pool) => pool.end()));
    await bouncer.close();
  });
});
