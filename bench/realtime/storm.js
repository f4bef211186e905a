import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '../lib/database.js';
import { ask, UnexpectedStatus } from '../lib/load.js';
import { quantile } from '../lib/measure.js';
import { cpuOf, memoryOf, peakMemoryOf, resetPeakMemory } from '../lib/usage.js';
import { taskId } from '../seed/data.js';
import { accounts, Audience, changes, titleOf } from './audience.js';
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
 * @param {import('./audience.js').ChangeName} change
 * @param {number} account
 */
async function makeChange(url, change, account) {
  for (;;) {
    try {
      return await ask(url, retitle(account, titleOf(change, account)));
    } catch (error) {
      if (!(error instanceof UnexpectedStatus) || error.status !== 503) throw error;
      await delay(Math.random() * writePauseMs);
    }
  }
}

/** Changes tasks without the service. @param {string} databaseUrl */
const changeWhileAway = (databaseUrl) =>
  withClient(databaseUrl, async (client) => {
    for (const account of accounts) {
      const title = titleOf('while away', account);
      await client.query('UPDATE tasks SET title = $2, updated_at = now() WHERE id = $1', [taskId(account, 1), title]);
    }
  });

/**
 * @template Result
 * @param {Promise<Result>} work
 * @param {() => string} progress
 */
async function inTime(work, progress) {
  const timer = new AbortController();
  const late = delay(patienceMs, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not live after ${patienceMs / 1000} s: ${progress()}`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    late.catch(() => {});
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
  const audience = new Audience();
  const { clients } = audience;
  let taskgate = await start();
  const { url } = taskgate;
  try {
    await audience.gather(url, subscription, count);
    const warm = Promise.all(accounts.map((account) => audience.hear('before', account)));
    for (const account of accounts) await makeChange(url, 'before', account);
    await inTime(warm, () => 'those that were just connected');
    console.log(`  ${count} subscribers are connected`);
    await delay(settleMs);

    let before = await memoryOf(taskgate.pid);
    if (isKilled) await taskgate.stop('SIGKILL');
    for (const { subscriber } of clients) subscriber.cut();
    await changeWhileAway(databaseUrl);
    if (isKilled) {
      taskgate = await start({ port: new URL(url).port });
      before = await memoryOf(taskgate.pid);
    }
    await resetPeakMemory(taskgate.pid);
    const cpuBefore = await Promise.all([cpuOf(taskgate.pid), cpuOf(databasePid, { family: true })]);

    const live = accounts.map(async (account) => {
      await audience.hear('while away', account);
      const told = audience.hear('after the return', account);
      await makeChange(url, 'after the return', account);
      await told;
    });
    const began = performance.now();
    for (const { subscriber } of clients) void subscriber.connect();
    await inTime(
      Promise.all(live),
      () => `${clients.filter(({ heard }) => heard.length === changes.length).length} are`,
    );
    const liveMs = performance.now() - began;

    const cpuAfter = await Promise.all([cpuOf(taskgate.pid), cpuOf(databasePid, { family: true })]);
    const peak = await peakMemoryOf(taskgate.pid);
    await delay(settleMs);
    audience.requireEach();
    const returns = clients.map(({ heard }) => (heard[1]?.at ?? NaN) - began).toSorted(byNumber);
    return {
      subscription: subscription.name,
      case: isKilled ? 'service killed' : 'connections cut',
      subscribers: count,
      p50: quantile(returns, 0.5) / 1000,
      p99: quantile(returns, 0.99) / 1000,
      live: liveMs / 1000,
      refused: clients.reduce((sum, { subscriber }) => sum + subscriber.refused, 0),
      cpu: (cpuAfter[0] - cpuBefore[0]) / 1000,
      databaseCpu: (cpuAfter[1] - cpuBefore[1]) / 1000,
      before,
      peak,
      after: await memoryOf(taskgate.pid),
    };
  } finally {
    for (const { subscriber } of clients) subscriber.cut();
    await taskgate.stop();
  }
}
