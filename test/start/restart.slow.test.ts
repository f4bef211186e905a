import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { createTestDatabase } from '../kit/postgres.ts';
import { dataFolders, endServices, type ServiceProcess, spawnService } from '../kit/process.ts';
import { Client } from '../kit/client.ts';
import { Mailbox } from '../kit/mailbox.ts';

const clients = 8;

interface Upstream {
  port: string;
  agent: Agent;
  service: ServiceProcess;
}

const folders = dataFolders();
const upstreams: Upstream[] = [];
let variables: Record<string, string>;
let cookie = '';

async function startUpstream(port = '0') {
  const service = await spawnService({ ...variables, PORT: port, SHUTDOWN_DELAY_MS: '1000' });
  if (service.url === undefined) throw new Error(service.errors());
  return { service, port: new URL(service.url).port };
}

beforeAll(async () => {
  const DATA_DIR = await folders.make();
  const SESSION_SECRET = 'a secret that both processes know';
  variables = { DATABASE_URL: await createTestDatabase(), DATA_DIR, SESSION_SECRET, RATE_LIMITS: 'off' };
  for (let count = 0; count < 2; count += 1) {
    // Keeps connections as nginx does: a few, the last used first. The idle timeout ends before the service's, after a second (RFC 9112, 9.5).
    const agent = new Agent({ keepAlive: true, maxFreeSockets: clients, scheduling: 'lifo', timeout: 300 });
    upstreams.push({ ...(await startUpstream()), agent });
  }
  const client = new Client(upstreams[0]?.service.url ?? '');
  const email = 'anna@example.com';
  await client.post('/api/v1/user/signup/send-otp', { email });
  const code = await new Mailbox(DATA_DIR).takeCode(email);
  expect(await client.post('/api/v1/user/signup/verify', { email, code, password: 'x' })).toMatchObject({
    status: 200,
  });
  cookie = client.cookie ?? '';
});
afterAll(async () => {
  for (const { agent } of upstreams) agent.destroy();
  await endServices('SIGKILL');
  await folders.remove();
});

type Outcome = number | 'unsent' | `lost by ${string}`;

/** Sends a task to one process. `unsent` means that the proxy may try another process. */
function send({ port, agent }: Upstream, title: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const headers = { Cookie: cookie, 'Content-Type': 'application/json' };
    const sent = request({ port, agent, path: '/api/v2/todo', method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', ({ code = '' }: NodeJS.ErrnoException) => {
      const connection = sent.reusedSocket ? 'an idle' : 'a new';
      resolve(code === 'ECONNREFUSED' ? 'unsent' : `lost by ${code} on ${connection} connection`);
    });
    sent.end(JSON.stringify({ title }));
  });
}

/** Tries the processes in turn until one accepts the request, as a proxy does with a request that must not be repeated. */
async function proxy(number: number): Promise<Outcome> {
  for (let round = 0; round < upstreams.length; round += 1) {
    const upstream = upstreams[(number + round) % upstreams.length];
    const result = upstream ? await send(upstream, `task ${number}`) : 'unsent';
    if (result !== 'unsent') return result;
  }
  return 'unsent';
}

test('a rolling restart loses and duplicates no request of a proxy', async () => {
  const results: Outcome[] = [];
  let restarting = true;
  let number = 0;
  const sending = Array.from({ length: clients }, async () => {
    while (restarting) results.push(await proxy((number += 1)));
  });
  for (let round = 0; round < 2; round += 1) {
    for (const upstream of upstreams) {
      const before = results.length;
      upstream.service.signal('SIGTERM');
      expect(await upstream.service.ended).toBe(0);
      expect(results.length).toBeGreaterThan(before);
      Object.assign(upstream, await startUpstream(upstream.port));
    }
  }
  restarting = false;
  await Promise.all(sending);
  expect(results.filter((result) => result !== 201)).toEqual([]);
  const client = new pg.Client({ connectionString: variables['DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS all, count(DISTINCT title)::int AS each FROM tasks');
  await client.end();
  expect(rows).toEqual([{ all: results.length, each: results.length }]);
});
