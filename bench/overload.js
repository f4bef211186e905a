import { once } from 'node:events';
import { Agent, request } from 'node:http';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startTaskgate } from './lib/contenders.js';
import { startServer, withClient } from './lib/database.js';
import { quantile } from './lib/measure.js';
import { benchFolder } from './lib/paths.js';
import { probe } from './lib/probe.js';
import { cookieOf, signIn } from './lib/session.js';
import { standardAccount, seedAccounts, vacuumAnalyze, taskId } from './seed/data.js';

// Sends several times the load that the service can serve, and measures how much of its capacity remains.

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    factor: { type: 'string', default: '5' },
    connections: { type: 'string', default: '32' },
    accounts: { type: 'string', default: '100' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
  },
});
const [seconds, factor, connections, accounts] = [
  values.seconds,
  values.factor,
  values.connections,
  values.accounts,
].map(Number);
/** Connections of the overload: enough to send without waiting for responses. */
const maxSockets = 1000;
/** Milliseconds between two bursts of requests. */
const tickMs = 5;

/**
 * The mix of requests, account by account: six of ten read a list, two change a task, one creates a task and one searches. Writes come in between, so
 * most lists are read again.
 * @param {number} count
 * @returns {{ method: string, path: string, account: number, body?: string }}
 */
function callOf(count) {
  const account = 1 + (count % accounts);
  const kind = (count + Math.floor(count / accounts)) % 10;
  if (kind === 2 || kind === 6) {
    const title = `Changed ${count}`;
    return {
      method: 'PATCH',
      path: `/api/v2/todo/${taskId(account, count % 60)}`,
      account,
      body: JSON.stringify({ title }),
    };
  }
  if (kind === 4)
    return { method: 'POST', path: '/api/v2/todo', account, body: JSON.stringify({ title: `Task ${count}` }) };
  if (kind === 8) return { method: 'GET', path: '/api/v2/todo/search?q=garden', account };
  return { method: 'GET', path: `/api/v2/todo?completed=${kind < 5 ? 'false' : 'true'}`, account };
}

/** @typedef {{ served: number[], refused: number, failed: number }} LoadCounts response times in ms */

/**
 * @param {string} url
 * @param {Agent} agent
 * @param {number} count
 * @param {LoadCounts} counts
 * @returns {Promise<void>}
 */
function send(url, agent, count, counts) {
  const { method, path: target, account, body } = callOf(count);
  const headers = {
    cookie: cookieOf(account),
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const outgoing = request(`${url}${target}`, { method, headers, agent }, (response) => {
      response.resume();
      response.once('close', () => {
        const { statusCode = 0 } = response;
        if (statusCode === 503 && response.headers['retry-after'] !== undefined) counts.refused += 1;
        else if (statusCode < 300 && response.complete) counts.served.push(performance.now() - startedAt);
        else counts.failed += 1;
        resolve();
      });
    });
    outgoing.once('error', () => {
      counts.failed += 1;
      resolve();
    });
    outgoing.end(body);
  });
}

const emptyCounts = () => /** @type {LoadCounts} */ ({ served: [], refused: 0, failed: 0 });

let count = 0;

/** Each connection waits for its response before its next request. @param {string} url @param {number} time in seconds */
async function closedLoop(url, time) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const counts = emptyCounts();
  const end = performance.now() + time * 1000;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) await send(url, agent, count++, counts);
    }),
  );
  agent.destroy();
  return counts;
}

/**
 * Opens the connections in advance, as proxies do, because Node accepts one new connection per turn of the event loop.
 * @param {string} url
 * @param {Agent} agent
 */
const connectAll = (url, agent) =>
  Promise.all(
    Array.from({ length: maxSockets }, async () => {
      const outgoing = request(`${url}/healthz`, { agent }).end();
      const [response] = await once(outgoing, 'response');
      response.resume();
      await once(response, 'close');
    }),
  );

/** Sends at a rate without waiting for responses. @param {string} url @param {number} rate */
async function openLoop(url, rate, /** @type {number} */ time) {
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets });
  await connectAll(url, agent);
  const counts = emptyCounts();
  /** @type {Set<Promise<void>>} */
  const open = new Set();
  const startedAt = performance.now();
  let [offered, unsent] = [0, 0];
  for (let now = startedAt; now < startedAt + time * 1000; now = performance.now()) {
    for (const due = ((now - startedAt) / 1000) * rate; offered < due; offered += 1) {
      // Further requests would wait in the load generator, not in the service.
      if (open.size >= maxSockets) {
        unsent += 1;
        continue;
      }
      const one = send(url, agent, count++, counts);
      open.add(one);
      void one.then(() => open.delete(one));
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs));
  }
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const { served, refused, failed } = counts;
  const result = {
    served: [...served],
    refused,
    failed,
    offered,
    unsent,
    rate: served.length / elapsedSeconds,
    offeredRate: offered / elapsedSeconds,
  };
  await Promise.all(open);
  agent.destroy();
  return result;
}

const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`;
const times = (/** @type {number[]} */ all) => {
  const sorted = [...all].sort((a, b) => a - b);
  return `p50 ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}`;
};

const server = await startServer(values.service);
try {
  const databaseUrl = await server.create('overload');
  await withClient(databaseUrl, async (client) => {
    await seedAccounts(client, standardAccount(1), accounts);
    for (let account = 1; account <= accounts; account += 1) await signIn(client, account);
    await vacuumAnalyze(client);
  });
  const service = await startTaskgate(values.service, databaseUrl);
  // Warms up compiled code and caches.
  await closedLoop(service.url, seconds);
  const before = await closedLoop(service.url, seconds);
  const capacity = before.served.length / seconds;
  console.log(
    `capacity: ${capacity.toFixed(0)}/s over ${connections} connections, ${times(before.served)}, failed ${before.failed}`,
  );
  const endProbe = probe(`${service.url}/healthz`);
  const overload = await openLoop(service.url, capacity * factor, seconds);
  const health = await endProbe();
  const responses = overload.served.length + overload.refused;
  console.log(
    `offered: ${overload.offeredRate.toFixed(0)}/s, of which ${overload.unsent} found all ${maxSockets} connections in use`,
  );
  console.log(`served: ${overload.rate.toFixed(0)}/s, ${times(overload.served)}`);
  console.log(
    `refused: ${((100 * overload.refused) / responses).toFixed(0)} % with 503; failed in another way: ${overload.failed}`,
  );
  console.log(`/healthz: ${health.length} probes, ${times(health)}`);
  const after = await closedLoop(service.url, seconds);
  console.log(
    `afterwards: ${(after.served.length / seconds).toFixed(0)}/s, refused ${after.refused}, failed ${after.failed}`,
  );
  const best = Math.max(capacity, after.served.length / seconds);
  console.log(`goodput under ${factor} × capacity: ${(overload.rate / best).toFixed(2)} of capacity (target: 0.8)`);
  await service.stop();
} finally {
  await server.stop();
}
