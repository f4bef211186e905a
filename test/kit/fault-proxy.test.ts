import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { FaultProxy } from './fault-proxy.ts';
import { createTestDatabase } from './postgres.ts';

describe('FaultProxy', () => {
  let databaseUrl: string;
  let directClient: pg.Client;
  let proxy: FaultProxy;
  const clients: pg.Client[] = [];

  beforeAll(async () => {
    databaseUrl = await createTestDatabase({ migrated: false });
    directClient = new pg.Client({ connectionString: databaseUrl });
    await directClient.connect();
    await directClient.query('CREATE TABLE done (step int)');
  });
  beforeEach(async () => {
    proxy = await FaultProxy.open(databaseUrl);
  });
  afterEach(async () => {
    await proxy.close();
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  });
  afterAll(() => directClient.end());

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: proxy.url });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }

  const answers = async (client: pg.Client) => (await client.query<{ one: number }>('SELECT 1 AS one')).rows;

  test('passes everything on where there is no fault', async () => {
    const client = await connect();
    expect(await answers(client)).toEqual([{ one: 1 }]);
    expect(proxy.connections).toBe(1);
  });

  test('down: refuses connections, ends open ones, and takes new ones again at the same port', async () => {
    const client = await connect();
    const { url } = proxy;
    await proxy.set({ mode: 'down' });
    await expect(answers(client)).rejects.toThrow(/Connection terminated|connection error/);
    await expect(connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await proxy.set({ mode: 'ok' });
    expect(proxy.url).toBe(url);
    expect(await answers(await connect())).toEqual([{ one: 1 }]);
  });

  test('reset: resets open and new connections', async () => {
    const client = await connect();
    const reset = new Promise((resolve) => client.once('error', resolve));
    await proxy.set({ mode: 'reset' });
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    await expect(connect()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('blackhole: takes everything and says nothing, also after it is over, on connections that were open', async () => {
    const client = await connect();
    await proxy.set({ mode: 'blackhole' });
    let settled = false;
    const unansweredQuery = answers(client).finally(() => (settled = true));
    await proxy.nextActivity();
    await proxy.set({ mode: 'ok' });
    expect(await answers(await connect())).toEqual([{ one: 1 }]);
    expect(settled).toBe(false);
    proxy.killAll();
    await expect(unansweredQuery).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('latencyMs: what is passed on is late', async () => {
    const client = await connect();
    await proxy.set({ latencyMs: 60 * 60 * 1000 });
    let settled = false;
    const delayedQuery = answers(client).finally(() => (settled = true));
    await proxy.nextActivity();
    await answers(directClient);
    expect(settled).toBe(false);
    proxy.killAll();
    await expect(delayedQuery).rejects.toMatchObject({ code: 'ECONNRESET' });
    await proxy.set({ latencyMs: 5 });
    expect(await answers(await connect())).toEqual([{ one: 1 }]);
  });

  test('cutAfterBytes: resets a connection in the middle of an answer', async () => {
    const client = await connect();
    await proxy.set({ cutAfterBytes: 10_000 });
    const long = client.query("SELECT repeat('x', 100000)");
    await expect(long).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await answers(await connect())).toEqual([{ one: 1 }]);
  });

  test('loseAnswerTo: the server has done it, and the client does not get to know', async () => {
    const client = await connect();
    await proxy.set({ loseResponseTo: /INSERT/ });
    expect(await answers(client)).toEqual([{ one: 1 }]);
    await expect(client.query('INSERT INTO done VALUES (7)')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await directClient.query('SELECT step FROM done')).rows).toEqual([{ step: 7 }]);
  });

  test('killAll: resets what is open; retarget: connections lead to another server from now on', async () => {
    const client = await connect();
    const other = await FaultProxy.open(databaseUrl);
    proxy.retarget(other.url);
    expect(await answers(client)).toEqual([{ one: 1 }]);
    expect(other.connections).toBe(0);
    const reset = new Promise((resolve) => client.once('error', resolve));
    proxy.killAll();
    expect(await reset).toMatchObject({ code: 'ECONNRESET' });
    expect(await answers(await connect())).toEqual([{ one: 1 }]);
    expect(other.connections).toBe(1);
    await other.close();
  });
});
