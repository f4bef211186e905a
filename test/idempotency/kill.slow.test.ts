import { afterAll, afterEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { type Answer, Client } from '../kit/client.ts';
import { FaultProxy } from '../kit/fault-proxy.ts';
import { Mailbox } from '../kit/mailbox.ts';
import { makeTask } from '../kit/make.ts';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, spawnService } from '../kit/process.ts';
import { until } from '../kit/until.ts';
import { isReplayed, withKey } from './keyed.ts';

const folders = dataFolders();
afterEach(() => endServices('SIGKILL'));
afterAll(() => folders.remove());

test.each<[string, (client: Client) => Promise<(origin: string) => Promise<Answer<unknown>>>, number, number]>([
  [
    'a creation',
    (client) =>
      Promise.resolve((origin) =>
        new Client(origin, client.cookie).post('/api/v2/todo', { title: 'milk' }, withKey('once')),
      ),
    201,
    150,
  ],
  [
    'an undo',
    async (client) => {
      const { id } = await makeTask(client);
      const deletion = await client.delete(`/api/v2/todo/${id}`);
      const path = `/api/v2/operations/${deletion.headers.get('x-operation-id')}/undo`;
      return (origin) => new Client(origin, client.cookie).post(path, {}, withKey('once'));
    },
    200,
    // An undo has many statements, within a limit of five seconds.
    50,
  ],
])(
  'after a kill between commit and response of %s, a retry gets the first response, and there is one effect',
  async (_name, prepare, status, latencyMs) => {
    const [DATA_DIR, databaseUrl] = [await folders.make(), await createTestDatabase()];
    const proxy = await FaultProxy.open(databaseUrl);
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const variables = { DATA_DIR, SESSION_SECRET: 'a secret that outlives the process', RATE_LIMITS: 'off' };
    const start = async (url: string) => {
      const service = await spawnService({ ...variables, DATABASE_URL: url });
      if (service.url === undefined) throw new Error(service.errors());
      return { ...service, url: service.url };
    };
    const killed = await start(proxy.url);
    const client = new Client(killed.url);
    const email = 'anna@example.com';
    await client.post('/api/v1/user/signup/send-otp', { email });
    const code = await new Mailbox(DATA_DIR).takeCode(email);
    await client.post('/api/v1/user/signup/verify', { email, code, password: 'x' });

    const send = await prepare(client);
    // The database's replies are so late that the process dies before it sees the commit.
    await proxy.set({ latencyMs });
    const pendingRequest = send(killed.url);
    const isStored = async () => (await database.query('SELECT FROM idempotency_keys')).rowCount === 1;
    await until('it is committed', isStored, 1);
    killed.signal('SIGKILL');
    await expect(pendingRequest).rejects.toThrow();

    const next = await start(databaseUrl);
    const [first, second] = [await send(next.url), await send(next.url)];
    expect([first.status, isReplayed(first)]).toEqual([status, true]);
    expect(second.body).toEqual(first.body);
    expect((await database.query('SELECT FROM tasks')).rowCount).toBe(1);
    expect((await database.query('SELECT FROM operations WHERE undo_of IS NOT NULL')).rowCount).toBe(
      status === 200 ? 1 : 0,
    );
    await database.end();
    await proxy.close();
  },
);
