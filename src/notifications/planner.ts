import { AsyncResource } from 'node:async_hooks';
import { log } from '@taskgate/base';
import { type Clock, every, isUnavailable, logFailure } from '@taskgate/postgres';
import { type Load, measureLoad } from '@taskgate/work';
import type { Connections, Database } from '../platform/database.ts';
import { transaction } from '../platform/transaction.ts';
import { figureOf, planLag, plannedMails } from './metrics.ts';
import { PageSize } from './page-size.ts';
import { findPlanLag, findWork, planReader } from './plan-data.ts';
import { queueDue, takeScans } from './planning-queue-data.ts';
import { scanSpaces, skipPage } from './space-scan.ts';

declare module '../platform/services.ts' {
  interface Services {
    planner: Planner;
  }
}

/** The poll finds changes by direct SQL, moments that have come, and the work of ended processes. */
const pollMs = 1000;
/** Changes that arrive in this time are planned together. */
const minRestMs = 200;
/** The rest after a step is a multiple of the step's time, so the planner works five percent of the time. */
const [restFactor, maxRestMs] = [20, 2000];
/** Maximum numbers in a transaction: changes of the log, and pairs of tasks and members. */
const [changesAtOnce, pairsAtOnce] = [1000, 2000];
const spacesAtOnce = 50;

/**
 * Plans reminders and digests. It reads the change log in pages and queues changed spaces, which take turns. Each step
 * is a short transaction that holds the lock of the reader. If a process ends, another one continues.
 */
export class Planner {
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #onPlanned: () => void;
  readonly #polls: { stop(): void };
  #running: Promise<unknown> = Promise.resolve();
  #steps = 0;
  #waiting: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #restUntil = 0;
  readonly #logPage = new PageSize(changesAtOnce);
  readonly #queuePage = new PageSize(pairsAtOnce);
  #isClosed = false;

  /** Runs outside of the caller's operation. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#waiting ??= setTimeout(
      () => {
        this.#waiting = undefined;
        this.#runThrottled().catch((error: unknown) => logFailure(error, 'mails could not be planned'));
      },
      Math.max(minRestMs, this.#restUntil - performance.now()),
    ).unref();
  });

  constructor(connections: Connections, clock: Clock, onPlanned: () => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#onPlanned = onPlanned;
    measureLoad('planning', this);
    planLag.track(figureOf('plans', () => findPlanLag(connections)));
    this.#polls = every(pollMs, 'the planning of mails', () => Promise.resolve(this.wake()));
  }

  get load(): Load {
    return {
      running: Math.min(this.#steps, 1),
      waiting: Math.max(this.#steps - 1, 0) + Number(this.#waiting !== undefined),
    };
  }

  /** Plans everything due, unless another process is planning. @throws UNAVAILABLE */
  async run(): Promise<void> {
    while (!this.#isClosed && (await this.#step()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#polls.stop();
    clearTimeout(this.#waiting);
    await this.#running.catch(() => undefined);
  }

  /** Rests after a step, which leaves time for writers. */
  async #runThrottled(): Promise<void> {
    const begun = performance.now();
    const rest = () => {
      const now = performance.now();
      this.#restUntil = now + Math.min((now - begun) * restFactor, maxRestMs);
    };
    if (await this.#step().finally(rest)) this.wake();
  }

  /** Plans a page of the queue even if reading the log fails. @returns whether there may be more */
  #step(): Promise<boolean> {
    const step = async () => {
      if (this.#isClosed) return false;
      const work = await findWork(this.#connections, this.#clock);
      const reading = work.log ? this.#readPage() : Promise.resolve(false);
      const hasRead = await reading.catch(() => false);
      const hasPlanned = (work.queue || hasRead) && (await this.#planPage());
      // Throws if reading failed.
      return (await reading) || hasPlanned;
    };
    this.#steps += 1;
    const running = this.#running
      .catch(() => undefined)
      .then(step)
      .finally(() => (this.#steps -= 1));
    this.#running = running;
    return running;
  }

  /** Undefined if another process is the planner. */
  #asPlanner<Result>(work: (tx: Database) => Promise<Result>): Promise<Result | undefined> {
    const locked = async (tx: Database) => ((await planReader.lock(tx)) ? work(tx) : undefined);
    return transaction(this.#connections, ['planner'], locked);
  }

  async #readPage(): Promise<boolean> {
    const read = (size: number) => async (tx: Database) => {
      await planReader.readPage(tx, size);
      return true;
    };
    return (await this.#logPage.run((size) => this.#asPlanner(read(size)))) ?? false;
  }

  /** After failures, pages shrink until the failing space is alone and is skipped. */
  async #planPage(): Promise<boolean> {
    const { isLeast } = this.#queuePage;
    try {
      return await this.#queuePage.run((size) => this.#planSpaces(size));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ error }, 'reminders could not be planned and will be retried');
      if (isLeast) await this.#asPlanner((tx) => this.#skipPage(tx));
      return true;
    }
  }

  async #planSpaces(size: number): Promise<boolean> {
    const planned = await this.#asPlanner(async (tx) => {
      await queueDue(tx, this.#clock);
      const scans = await takeScans(tx, this.#clock, Math.min(size, spacesAtOnce));
      if (scans.length === 0) return undefined;
      return scanSpaces(tx, this.#clock, scans, Math.max(1, Math.floor(size / scans.length)));
    });
    if (!planned) return false;
    const { reminders, digests } = planned;
    // Outside the transaction, which may be retried.
    plannedMails.inc({ kind: 'REMINDER' }, reminders);
    plannedMails.inc({ kind: 'DIGEST' }, digests);
    if (reminders + digests > 0) this.#onPlanned();
    return true;
  }

  async #skipPage(tx: Database): Promise<void> {
    const scans = await takeScans(tx, this.#clock, 1);
    await skipPage(tx, this.#clock, scans);
  }
}
