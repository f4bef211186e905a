import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../lib/database.js';
import { sendRequest } from '../lib/load.js';
import { quantile } from '../lib/measure.js';
import { connectInBatches, cursorOfNow, Subscriber, subscriptions } from '../lib/subscriber.js';
import { byNumber, retitle, spaces } from './stage.js';

/** @typedef {import('./stage.js').Stage} Stage */

export const changesPerSecond = 20;
/** Milliseconds until idle PostgreSQL processes have reported their statistics. */
const reporting = 12_000;

/**
 * Transactions of the service so far. A single statement counts as one.
 * @param {string} databaseUrl
 */
const transactionsSoFar = (databaseUrl) =>
  withClient(databaseUrl, async (client) => {
    const { rows } = await client.query(
      'SELECT (xact_commit + xact_rollback)::int AS count FROM pg_stat_database WHERE datname = current_database()',
    );
    return /** @type {number} */ (rows[0].count);
  });

/**
 * Measures the delay from commit to client: `taskChanges` subscribers in many accounts, with changes at a steady rate.
 * @param {Stage} stage
 * @param {number} count subscribers
 * @param {number} seconds
 */
export async function delivery({ start, databaseUrl }, count, seconds) {
  const taskgate = await start();
  try {
    return await measure(taskgate.url, databaseUrl, count, seconds);
  } finally {
    await taskgate.stop();
  }
}

/**
 * @param {string} url
 * @param {string} databaseUrl
 * @param {number} count
 * @param {number} seconds
 */
async function measure(url, databaseUrl, count, seconds) {
  /** @type {number[]} */
  let latencies = [];
  const onEvent = (/** @type {import('../lib/subscriber.js').SubscriptionEvent} */ { at = '' }) =>
    latencies.push(Date.now() - Date.parse(at));
  const { taskChanges } = subscriptions;
  const cursors = await Promise.all(
    Array.from({ length: spaces }, (_, index) => cursorOfNow(url, index + 1, taskChanges)),
  );
  const subscribers = Array.from(
    { length: count },
    (_, n) => new Subscriber(url, (n % spaces) + 1, taskChanges, cursors[n % spaces] ?? '', onEvent),
  );
  await connectInBatches(subscribers);
  console.log(`  ${count} subscribers are connected`);
  const change = (/** @type {number} */ index) =>
    sendRequest(url, retitle((index % spaces) + 1, `Change ${index} of ${Date.now()}`));
  // The first changes warm up caches and connections, and do not count.
  for (let index = 0; index < spaces; index += 1) await change(index);
  await delay(reporting);
  latencies = [];
  const before = await transactionsSoFar(databaseUrl);
  const startedAt = performance.now();
  const total = seconds * changesPerSecond;
  const writes = [];
  for (let index = 0; index < total; index += 1) {
    await delay(Math.max(0, (index * 1000) / changesPerSecond - (performance.now() - startedAt)));
    writes.push(change(index));
  }
  await Promise.all(writes);
  await delay(reporting);
  const after = await transactionsSoFar(databaseUrl);
  for (const each of subscribers) each.disconnect();
  const sorted = latencies.toSorted(byNumber);
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
