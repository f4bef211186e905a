import { AsyncResource } from 'node:async_hooks';
import type { Database } from '../database/database.ts';
import { isUnavailable } from '../database/errors.ts';
import { every } from '../database/periodic.ts';
import { transaction } from '../database/transaction.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { type Load, measureLoad } from '../kernel/load.ts';
import { log } from '../kernel/logger.ts';
import type { Clock } from './clock.ts';
import { figureOf, planLag, plannedMails } from './metrics.ts';
import { lookAt, passOver } from './look.ts';
import { PageSize } from './page-size.ts';
import * as data from './plan-data.ts';
import { queueDue, takeLooks } from './planning-queue-data.ts';

declare module '../kernel/services.ts' {
  interface Services {
    planner: Planner;
  }
}

/** Milliseconds between polls: for what is written by SQL, for moments that come near, and for processes that end. */
const pollMs = 1000;
/** Milliseconds from a change to its planning at least: what many write within them is planned at once. */
const minRestMs = 200;
/** Milliseconds of rest after each one of work, and at most after a page: five per cent of the time is work. */
const [restFactor, maxRestMs] = [20, 2000];
/** Changes of the log that one transaction reads, and pairs of tasks and members that one looks at. */
const [changesAtOnce, pairsAtOnce] = [1000, 2000];
/** Spaces that one transaction looks at. */
const spacesAtOnce = 50;

/**
 * Plans reminders and digests. What the change log has is read by pages, and queues spaces; these take turns, each with a bounded page of
 * its reminders. Each process plans; what one does is one short transaction that holds the one row of the table `planner`, so that
 * they come one after the other, and the next one goes on where a process ends.
 */
export class Planner {
  readonly #clock: Clock;
  /** Says that something was planned. */
  readonly #onPlanned: () => void;
  readonly #polls: { stop(): void };
  #running: Promise<unknown> = Promise.resolve();
  #steps = 0;
  #waiting: NodeJS.Timeout | undefined;
  /** Until when it rests, by `performance.now()`. */
  #restUntil = 0;
  readonly #logPage = new PageSize(changesAtOnce);
  readonly #queuePage = new PageSize(pairsAtOnce);
  #isClosed = false;

  /** Something may have changed. It is planned outside of the operation that says so. */
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

  constructor(clock: Clock, onPlanned: () => void) {
    this.#clock = clock;
    this.#onPlanned = onPlanned;
    measureLoad('planning', this);
    planLag.track(figureOf('plans', data.findPlanLag));
    this.#polls = every(pollMs, 'the planning of mails', () => Promise.resolve(this.wake()));
  }

  get load(): Load {
    return {
      running: Math.min(this.#steps, 1),
      waiting: Math.max(this.#steps - 1, 0) + Number(this.#waiting !== undefined),
    };
  }

  /** Plans all that there is to plan, unless another process is at it. @throws UNAVAILABLE */
  async run(): Promise<void> {
    while (!this.#isClosed && (await this.#step()));
  }

  /** @returns when it has planned what it has begun */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#polls.stop();
    clearTimeout(this.#waiting);
    await this.#running.catch(() => undefined);
  }

  /** Plans a page, and the next one after a rest: others who write pay little for it. */
  async #runThrottled(): Promise<void> {
    const begun = performance.now();
    const rest = () => {
      const now = performance.now();
      this.#restUntil = now + Math.min((now - begun) * restFactor, maxRestMs);
    };
    if (await this.#step().finally(rest)) this.wake();
  }

  /** Reads a page of the log, and plans one of the queue: neither waits for the end of the other. @returns whether there may be more */
  #step(): Promise<boolean> {
    const step = async () => {
      if (this.#isClosed) return false;
      const work = await data.findWork(this.#clock);
      const reading = work.log ? this.#readPage() : Promise.resolve(false);
      const hasRead = await reading.catch(() => false);
      const hasPlanned = (work.queue || hasRead) && (await this.#planPage());
      // If the log could not be read, the queue has been planned all the same.
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

  /** Does what one process does at a time. @returns undefined where another one is at it */
  #inTurn<Result>(work: (tx: Database) => Promise<Result>): Promise<Result | undefined> {
    return transaction(['planner'], async (tx) => ((await data.lockPlanner(tx)) ? work(tx) : undefined));
  }

  /** @returns whether there may be more */
  async #readPage(): Promise<boolean> {
    return (await this.#logPage.run((size) => this.#inTurn((tx) => data.readLog(tx, size)))) ?? false;
  }

  /** One that cannot be planned keeps no other from being planned: pages shrink until it is alone, and then it is passed over. */
  async #planPage(): Promise<boolean> {
    const { isLeast } = this.#queuePage;
    try {
      return await this.#queuePage.run((size) => this.#planSpaces(size));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ error }, 'reminders could not be planned: it is tried again');
      if (isLeast) await this.#inTurn((tx) => this.#passOver(tx));
      return true;
    }
  }

  async #planSpaces(size: number): Promise<boolean> {
    const planned = await this.#inTurn(async (tx) => {
      await queueDue(tx, this.#clock);
      const looks = await takeLooks(tx, this.#clock, Math.min(size, spacesAtOnce));
      if (looks.length === 0) return undefined;
      return lookAt(tx, this.#clock, looks, Math.max(1, Math.floor(size / looks.length)));
    });
    if (!planned) return false;
    const { reminders, digests } = planned;
    // Not within the transaction, which is run again after a conflict.
    plannedMails.inc({ kind: 'REMINDER' }, reminders);
    plannedMails.inc({ kind: 'DIGEST' }, digests);
    if (reminders + digests > 0) this.#onPlanned();
    return true;
  }

  async #passOver(tx: Database): Promise<void> {
    const looks = await takeLooks(tx, this.#clock, 1);
    await passOver(tx, this.#clock, looks);
  }
}
