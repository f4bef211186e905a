import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { Connections } from '../../../src/platform/database.ts';
import { clientClass } from '../client.ts';
import { DatabaseAwayError, DatabaseHealth } from '../health.ts';
import { FaultProxy } from '../../../test/kit/fault-proxy.ts';
import { captureLog, type CapturedLog } from '../../../test/kit/log-lines.ts';
import { createTestDatabase } from '../../../test/kit/postgres.ts';
import { unavailableMessage } from '../../../test/database/outage.ts';
import { until } from '../../../test/kit/until.ts';

let url: string;
let proxy: FaultProxy;
let log: CapturedLog;
let health: DatabaseHealth | undefined;
const clients: pg.Client[] = [];

beforeAll(async () => {
  url = await createTestDatabase({ migrated: false });
  proxy = await FaultProxy.open(url);
  log = captureLog();
});
afterEach(async () => {
  await health?.close();
  health = undefined;
  await Promise.all(clients.splice(0).map((client) => client.end()));
  await proxy.set({ mode: 'ok' });
});
afterAll(async () => {
  await proxy.close();
  log.release();
});

function startHealth(connectionString = proxy.url): DatabaseHealth {
  health = new DatabaseHealth({ connectionString });
  return health;
}

function clientOf(startedHealth: DatabaseHealth, connectionString: string): pg.Client {
  const client = new (clientClass(startedHealth))({ connectionString });
  clients.push(client);
  return client;
}

async function open() {
  const startedHealth = startHealth();
  const client = clientOf(startedHealth, url);
  await client.connect();
  return { health: startedHealth, client };
}

async function queryFor(client: pg.Client, seconds: number): Promise<void> {
  for (let count = 0; count < seconds * 20; count += 1) await client.query('SELECT pg_sleep(0.05)');
}

describe('a new connection', () => {
  test('has a time limit that does not count the time in which the event loop is blocked', async () => {
    const opening = clientOf(startHealth(url), url).connect();
    const end = performance.now() + 4_000;
    while (performance.now() < end);
    await expect(opening).resolves.toBeDefined();
  });

  test('is given up if the server is silent', async () => {
    const startedHealth = startHealth(url);
    await proxy.set({ mode: 'blackhole' });
    await expect(clientOf(startedHealth, proxy.url).connect()).rejects.toThrow(DatabaseAwayError);
    expect(startedHealth.isAvailable).toBe(true);
  }, 30_000);
});

describe('a late probe', () => {
  test('does not make a database unavailable that sends data on other connections', async () => {
    const { health, client } = await open();
    expect(await health.check()).toBe(true);
    await proxy.set({ mode: 'blackhole' });
    const pendingCheck = health.check();
    await queryFor(client, 5);
    expect(health.isAvailable).toBe(true);
    await proxy.set({ mode: 'ok' });
    expect(await pendingCheck).toBe(true);
    expect(log.lines.filter(({ msg }) => msg === unavailableMessage)).toEqual([]);
  }, 30_000);

  test('makes a database unavailable that falls silent, even if it sent data during the probe', async () => {
    const { health, client } = await open();
    expect(await health.check()).toBe(true);
    await proxy.set({ mode: 'blackhole' });
    const pendingCheck = health.check();
    await queryFor(client, 1);
    const endlessQuery = expect(client.query('SELECT pg_sleep(30)')).rejects.toThrow();
    expect(await pendingCheck).toBe(false);
    await endlessQuery;
    expect(health.isAvailable).toBe(false);
  }, 30_000);

  test('does not happen behind a pooler that the probe bypasses', async () => {
    const connections = new Connections(proxy.url, { transactionPooling: true, directUrl: url });
    await proxy.set({ mode: 'blackhole' });
    expect(await connections.isReady()).toBe(true);
    await connections.close();
  });

  test('does not happen if connections are refused: the database is unavailable at once', async () => {
    const { health, client } = await open();
    const endlessQuery = expect(client.query('SELECT pg_sleep(30)')).rejects.toThrow();
    await proxy.set({ mode: 'down' });
    expect(await health.check()).toBe(false);
    await endlessQuery;
  });
});

describe('a read-only database', () => {
  test('keeps no connection that was opened after the probe gave it up', async () => {
    const options = 'options=-c%20default_transaction_read_only%3Don';
    const health = startHealth(`${proxy.url}?${options}`);
    const untilOneIsOpen = () => until('one connection is open', () => proxy.connections === 1);
    expect(await health.check()).toBe(true);
    expect(health.isReadOnly).toBe(true);
    await untilOneIsOpen();
    // Longer than the timeout of a connection, shorter than the timeout of a probe. Opening takes several round trips.
    await proxy.set({ latencyMs: 400 });
    for (let round = 0; round < 3; round += 1) expect(await health.check()).toBe(true);
    await proxy.set({ latencyMs: 0 });
    expect(await health.check()).toBe(true);
    await untilOneIsOpen();
    expect(log.lines.filter(({ msg }) => msg === 'database connections were lost')).toEqual([]);
  }, 30_000);
});
