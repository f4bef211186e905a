import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import WebSocket from 'ws';
import { startTaskgate } from './lib/contenders.js';
import { startServer, withClient } from './lib/database.js';
import { ask } from './lib/load.js';
import { benchFolder } from './lib/paths.js';
import { table } from './lib/report.js';
import { cookieOf, signIn } from './lib/session.js';
import { ordinary, seedAccounts, taskId } from './seed/data.js';

// From a commit to the clients that hear of it: subscribers over WebSocket, spread over accounts, while
// tasks are changed through the service at a steady rate. The load generator shares the machine.

const spaces = 100;
const changesPerSecond = 20;
/** Milliseconds after which PostgreSQL's processes have reported what they counted, where they have nothing to do. */
const reporting = 12_000;

const { values } = parseArgs({
  options: {
    subscribers: { type: 'string', default: '100,1000,5000' },
    seconds: { type: 'string', default: '20' },
    service: { type: 'string', default: path.resolve(benchFolder, '..') },
  },
});
const seconds = Number(values.seconds);

/**
 * Opens a subscription on a socket of its own.
 * @param {string} url
 * @param {number} account
 * @param {(at: string) => void} heard is given when the change was logged, just before its commit
 * @returns {Promise<WebSocket>} once the service has accepted the subscription
 */
async function subscribe(url, account, heard) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
    headers: { cookie: cookieOf(account) },
    perMessageDeflate: false,
  });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const acknowledged = new Promise((resolve) => {
    socket.on('message', (data) => {
      const message = JSON.parse(String(data));
      if (message.type === 'connection_ack') resolve(undefined);
      else if (message.type === 'ping') socket.send('{"type":"pong"}');
      else if (message.type === 'next') heard(message.payload.data.taskChanges.at);
    });
  });
  socket.send('{"type":"connection_init"}');
  await acknowledged;
  const query = 'subscription { taskChanges { cursor kind taskId changedFields at task { id title completed } } }';
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query } }));
  return socket;
}

/**
 * Transactions of the service so far; a statement outside of BEGIN and COMMIT is one by itself.
 * @param {string} databaseUrl
 */
const transactionsSoFar = (databaseUrl) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return /** @type {number} */ (rows[0].count);
  });

/** @param {number[]} sorted */
const quantile = (sorted, share) =>
  Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);

/**
 * @param {string} url
 * @param {string} databaseUrl
 * @param {number} count subscribers
 */
async function measure(url, databaseUrl, count) {
  /** @type {number[]} */
  let latencies = [];
  const heard = (/** @type {string} */ at) => latencies.push(Date.now() - Date.parse(at));
  const sockets = [];
  for (let opened = 0; opened < count; opened += 50) {
    const batch = Array.from({ length: Math.min(50, count - opened) }, (_, n) => (opened + n) % spaces);
    sockets.push(...(await Promise.all(batch.map((account) => subscribe(url, account + 1, heard)))));
  }
  console.log(`  ${count} subscribers are connected`);
  const change = (/** @type {number} */ turn) => {
    const account = (turn % spaces) + 1;
    const body = JSON.stringify({ title: `Change ${turn} of ${Date.now()}` });
    const headers = { cookie: cookieOf(account) };
    return ask(url, { method: 'PATCH', path: `/api/v2/todo/${taskId(account, 1)}`, headers, body });
  };
  // The first changes of all warm caches and connections up; they do not count.
  for (let turn = 0; turn < spaces; turn += 1) await change(turn);
  await delay(reporting);
  latencies = [];
  const before = await transactionsSoFar(databaseUrl);
  const began = performance.now();
  const total = seconds * changesPerSecond;
  const writes = [];
  for (let turn = 0; turn < total; turn += 1) {
    await delay(Math.max(0, (turn * 1000) / changesPerSecond - (performance.now() - began)));
    writes.push(change(turn));
  }
  await Promise.all(writes);
  await delay(reporting);
  const after = await transactionsSoFar(databaseUrl);
  for (const socket of sockets) socket.terminate();
  const sorted = latencies.toSorted((left, right) => left - right);
  return {
    subscribers: count,
    changes: total,
    delivered: sorted.length,
    expected: (total * count) / spaces,
    p50: quantile(sorted, 0.5),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    'transactions per change': ((after - before) / total).toFixed(1),
  };
}

const server = await startServer(values.service);
try {
  const databaseUrl = await server.create('realtime');
  await withClient(databaseUrl, async (client) => {
    await seedAccounts(client, ordinary(1), spaces);
    for (let account = 1; account <= spaces; account += 1) await signIn(client, account);
  });
  const results = [];
  for (const count of values.subscribers.split(',').map(Number)) {
    console.log(`${count} subscribers in ${spaces} spaces, ${changesPerSecond} changes a second for ${seconds} s`);
    const taskgate = await startTaskgate(values.service, databaseUrl);
    try {
      results.push(await measure(taskgate.url, databaseUrl, count));
    } finally {
      await taskgate.stop();
    }
  }
  console.table(results);
  const head = Object.keys(results[0] ?? {});
  await writeFile(
    path.join(benchFolder, 'REALTIME.md'),
    [
      '# From commit to client',
      '',
      `Milliseconds from a change's log entry to the subscriber, over WebSocket, one process; ${changesPerSecond} changes a second`,
      `for ${seconds} s in ${spaces} spaces. The load generator runs on the same machine.`,
      '',
      table(
        head,
        results.map((row) => Object.values(row).map(String)),
      ),
      '',
    ].join('\n'),
  );
} finally {
  await server.stop();
}
