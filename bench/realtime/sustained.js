import { setTimeout as delay } from 'node:timers/promises';
import { sendAtRate } from '../lib/load.js';
import { quantile } from '../lib/measure.js';
import { connectInBatches, cursorOfNow, Subscriber } from '../lib/subscriber.js';
import { cpuOf } from '../lib/usage.js';
import { workspaceTaskId } from '../seed/workspace.js';
import { byNumber, members, retitle, workspaceTasks } from './stage.js';

/** @typedef {import('./stage.js').Stage} Stage */
/** @typedef {import('../lib/subscriber.js').Subscription} Subscription */

/** Changes a second in the first probe. */
const firstRate = 10;
/** Factor that lowers a rate that did not hold. */
const stepFactor = 0.8;
/** A rate holds if 99 of 100 changes reach each subscriber within this time. */
const maxP99Ms = 2000;
/** Milliseconds for the last writes and deliveries after a probe. */
const graceMs = maxP99Ms;
/** The p99 rises if it grows in each quarter, and in total by this factor and by these milliseconds. */
const [riseFactor, minRiseMs] = [1.5, 100];
const quarters = 4;
const warmUpSeconds = 5;

/** @typedef {{ p50: number, p99: number }} Quarter in ms */

/**
 * @typedef {object} Run
 * @property {number} rate changes a second
 * @property {string | undefined} fault why the rate does not hold
 * @property {Quarter[]} quarters
 * @property {number[]} cpu of the service, PostgreSQL and the load generator, in cores
 */

/** A service with one busy space and its subscribers. */
class LoadedSpace {
  #stage;
  #subscription;
  #count;
  /** @type {import('../lib/contenders.js').Contender | undefined} */
  #taskgate;
  /** @type {Subscriber[]} */
  #subscribers = [];
  /** @type {(event: import('../lib/subscriber.js').SubscriptionEvent) => void} */
  #onEvent = () => {};
  #changes = 0;

  /**
   * @param {Stage} stage
   * @param {Subscription} subscription
   * @param {number} count
   */
  constructor(stage, subscription, count) {
    this.#stage = stage;
    this.#subscription = subscription;
    this.#count = count;
  }

  /** Restarts the service, which clears any backlog. @param {number} rate of the warm-up */
  async restart(rate) {
    await this.stop();
    const taskgate = await this.#stage.start();
    this.#taskgate = taskgate;
    const accounts = members.slice(0, this.#count);
    this.#subscribers = await Promise.all(
      accounts.map(async (account) => {
        const cursor = await cursorOfNow(taskgate.url, account, this.#subscription);
        return new Subscriber(taskgate.url, account, this.#subscription, cursor, (event) => this.#onEvent(event));
      }),
    );
    await connectInBatches(this.#subscribers);
    await this.offer(rate, warmUpSeconds);
  }

  async stop() {
    for (const subscriber of this.#subscribers) subscriber.disconnect();
    await this.#taskgate?.stop();
  }

  /**
   * Changes tasks in turn, by members in turn.
   * @param {number} rate changes a second
   * @param {number} seconds
   * @returns {Promise<Run>}
   */
  async offer(rate, seconds) {
    const { url = '', pid = 0 } = this.#taskgate ?? {};
    /** @type {number[][]} */
    const latencies = Array.from({ length: quarters }, () => []);
    let delivered = 0;
    let expected = Infinity;
    let allDelivered = () => {};
    const allReceived = new Promise((resolve) => (allDelivered = () => resolve(undefined)));
    const startedAt = Date.now();
    this.#onEvent = ({ tasks }) => {
      const now = Date.now();
      for (const { updatedAt } of tasks) {
        const writtenAt = Date.parse(updatedAt);
        const quarter = Math.floor(((writtenAt - startedAt) / (seconds * 1000)) * quarters);
        latencies[Math.max(0, Math.min(quarters - 1, quarter))]?.push(now - writtenAt);
      }
      delivered += tasks.length;
      if (delivered >= expected) allDelivered();
    };
    const cpu = async () => [await cpuOf(pid), await cpuOf(this.#stage.databasePid, { family: true }), ownCpuMs()];
    const before = await cpu();
    const { sent, failed } = await sendAtRate(url, () => this.#nextChange(), { rate, seconds });
    const elapsedMs = Date.now() - startedAt;
    const after = await cpu();
    expected = (sent - failed) * this.#count;
    if (delivered < expected) await Promise.race([allReceived, delay(graceMs, undefined, { ref: false })]);
    const quarterLatencies = latencies.map((each) => {
      const sorted = each.toSorted(byNumber);
      return { p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) };
    });
    const isLate = elapsedMs > seconds * 1000 + graceMs;
    return {
      rate,
      fault: faultOf({ failed, isLate, missing: expected - delivered, quarters: quarterLatencies }),
      quarters: quarterLatencies,
      cpu: after.map((used, index) => (used - (before[index] ?? 0)) / elapsedMs),
    };
  }

  #nextChange() {
    const count = this.#changes++;
    const account = members[count % members.length] ?? 0;
    return retitle(account, `Change ${count} of ${Date.now()}`, workspaceTaskId(count % workspaceTasks));
  }
}

function ownCpuMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @param {{ failed: number, isLate: boolean, missing: number, quarters: Quarter[] }} counts
 * @returns {string | undefined} why the rate does not hold
 */
function faultOf({ failed, isLate, missing, quarters }) {
  if (failed > 0) return `${failed} writes refused`;
  if (isLate) return 'writes came late';
  if (missing > 0) return `${missing} deliveries were not there ${graceMs / 1000} s after the last write`;
  const p99s = quarters.map(({ p99 }) => p99);
  if (!p99s.every((p99) => p99 < maxP99Ms)) return `p99 of ${Math.max(...p99s)} ms`;
  const [first = NaN, last = NaN] = [p99s[0], p99s.at(-1)];
  const isRising = p99s.every((p99, index) => index === 0 || p99 > (p99s[index - 1] ?? NaN));
  if (isRising && last > Math.max(first * riseFactor, first + minRiseMs)) return `p99 rose from ${first} to ${last} ms`;
  return undefined;
}

/**
 * Finds the highest sustained rate of changes in a space: short probes double the rate until it does not hold, then it is lowered until a long run
 * holds.
 * @param {Stage} stage
 * @param {{ subscription: Subscription, count: number, probeSeconds: number, holdSeconds: number }} options
 * @returns the long run, and the last one that did not hold
 */
export async function findSustainedRate(stage, { subscription, count, probeSeconds, holdSeconds }) {
  const space = new LoadedSpace(stage, subscription, count);
  const attempt = async (/** @type {number} */ rate, /** @type {number} */ seconds) => {
    const run = await space.offer(rate, seconds);
    console.log(`  ${rate}/s for ${seconds} s: ${run.fault ?? 'held'}`);
    if (run.fault) await space.restart(rate / 2);
    return run;
  };
  try {
    let rate = firstRate;
    await space.restart(rate);
    let beyond = await attempt(rate, probeSeconds);
    while (!beyond.fault) {
      rate *= 2;
      beyond = await attempt(rate, probeSeconds);
    }
    for (;;) {
      rate = Math.floor(rate * stepFactor);
      const probe = await attempt(rate, probeSeconds);
      const run = probe.fault ? probe : await attempt(rate, holdSeconds);
      if (!run.fault) return { ...run, subscription: subscription.name, subscribers: count, beyond };
      beyond = run;
    }
  } finally {
    await space.stop();
  }
}
