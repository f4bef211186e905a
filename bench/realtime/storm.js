import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../lib/database.js';
import { sendRequest, UnexpectedStatus } from '../lib/load.js';
import { quantile } from '../lib/measure.js';
import { cpuOf, memoryOf, peakMemoryOf, resetPeakMemory } from '../lib/usage.js';
import { taskId } from '../seed/data.js';
import { accounts, SubscriberGroup, changes, titleOf } from './subscriber-group.js';
import { byNumber, retitle } from './stage.js';

/** @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('../lib/subscriber.js').Subscription} Subscription */

/** Milliseconds of idleness before memory is read. */
const settleMs = 10_000;
/** Milliseconds until subscribers that are not live count as lost. */
const patienceMs = 300_000;
/** Upper bound of the random pause before a refused change is retried, in milliseconds. */
const writePauseMs = 500;

/**
 * Changes a task through the service, and retries while it is overloaded.
 * @param {string} url
 * @param {import('./subscriber-group.js').ChangeName} change
 * @param {number} account
 */
async function makeChange(url, change, account) {
  for (;;) {
    try {
      return await sendRequest(url, retitle(account, titleOf(change, account)));
    } catch (error) {
      if (!(error instanceof UnexpectedStatus) || error.status !== 503) throw error;
      await delay(Math.random() * writePauseMs);
    }
  }
}

/** Changes tasks without the service. @param {string} databaseUrl */
const changeWhileDisconnected = (databaseUrl) =>
  withClient(databaseUrl, async (client) => {
    for (const account of accounts) {
      const title = titleOf('while disconnected', account);
      await client.query('UPDATE tasks SET title = $2, updated_at = now() WHERE id = $1', [taskId(account, 1), title]);
    }
  });

/**
 * @template Result
 * @param {Promise<Result>} work
 * @param {() => string} progress
 */
async function withTimeout(work, progress) {
  const timer = new AbortController();
  const timeout = delay(patienceMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not live after ${patienceMs / 1000} s: ${progress()}`);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    timeout.catch(() => {});
    timer.abort();
  }
}

/**
 * Disconnects all subscribers at once. All return at once with their last cursors, to a change that they missed.
 * @param {Stage} stage
 * @param {{ subscription: Subscription, count: number, isKilled: boolean }} options `isKilled`: kills the service; subscribers return after its
 * restart
 */
export async function storm({ start, databaseUrl, databasePid }, { subscription, count, isKilled }) {
  const group = new SubscriberGroup();
  const { clients } = group;
  let taskgate = await start();
  const { url } = taskgate;
  try {
    await group.connect(url, subscription, count);
    const warmUp = Promise.all(accounts.map((account) => group.waitForChange('before', account)));
    for (const account of accounts) await makeChange(url, 'before', account);
    await withTimeout(warmUp, () => 'while connecting');
    console.log(`  ${count} subscribers are connected`);
    await delay(settleMs);

    let before = await memoryOf(taskgate.pid);
    if (isKilled) await taskgate.stop('SIGKILL');
    for (const { subscriber } of clients) subscriber.disconnect();
    await changeWhileDisconnected(databaseUrl);
    if (isKilled) {
      taskgate = await start({ port: new URL(url).port });
      before = await memoryOf(taskgate.pid);
    }
    await resetPeakMemory(taskgate.pid);
    const cpuBefore = await Promise.all([cpuOf(taskgate.pid), cpuOf(databasePid, { family: true })]);

    const live = accounts.map(async (account) => {
      await group.waitForChange('while disconnected', account);
      const delivered = group.waitForChange('after reconnecting', account);
      await makeChange(url, 'after reconnecting', account);
      await delivered;
    });
    const startedAt = performance.now();
    for (const { subscriber } of clients) void subscriber.connect();
    await withTimeout(
      Promise.all(live),
      () => `${clients.filter(({ received }) => received.length === changes.length).length} are`,
    );
    const liveMs = performance.now() - startedAt;

    const cpuAfter = await Promise.all([cpuOf(taskgate.pid), cpuOf(databasePid, { family: true })]);
    const peak = await peakMemoryOf(taskgate.pid);
    await delay(settleMs);
    group.requireAllReceived();
    const delays = clients.map(({ received }) => (received[1]?.at ?? NaN) - startedAt).toSorted(byNumber);
    return {
      subscription: subscription.name,
      case: isKilled ? 'service killed' : 'connections cut',
      subscribers: count,
      p50: quantile(delays, 0.5) / 1000,
      p99: quantile(delays, 0.99) / 1000,
      live: liveMs / 1000,
      refused: clients.reduce((sum, { subscriber }) => sum + subscriber.failures, 0),
      cpu: (cpuAfter[0] - cpuBefore[0]) / 1000,
      databaseCpu: (cpuAfter[1] - cpuBefore[1]) / 1000,
      before,
      peak,
      after: await memoryOf(taskgate.pid),
    };
  } finally {
    for (const { subscriber } of clients) subscriber.disconnect();
    await taskgate.stop();
  }
}
