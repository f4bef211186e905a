import { log } from '@taskgate/base';
import { type Clock, isUnavailable } from '@taskgate/postgres';
import type { Connections, Database } from '../platform/database.ts';
import { figureOf } from '../platform/figures.ts';
import { PacedWork } from '../platform/paced-work.ts';
import { planLag, plannedMails } from './metrics.ts';
import { PageSize } from './page-size.ts';
import { findPlanLag, findWork, planReader } from './plan-data.ts';
import { queueDue, takeScans } from './planning-queue-data.ts';
import { scanSpaces, skipPage } from './space-scan.ts';

declare module '../platform/services.ts' {
  interface Services {
    planner: Planner;
  }
}

/** Maximum numbers in a transaction: changes of the log, and pairs of tasks and members. */
const [changesAtOnce, pairsAtOnce] = [1000, 2000];
const spacesAtOnce = 50;

/**
 * Plans reminders and digests. It reads the change log in pages and queues changed spaces, which take turns. Each step
 * is a short transaction that holds the lock of its reader of the log. If a process ends, another one continues.
 */
export class Planner {
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #onPlanned: () => void;
  readonly #logPage = new PageSize(changesAtOnce);
  readonly #queuePage = new PageSize(pairsAtOnce);
  readonly #work = new PacedWork('planning', 'mails could not be planned', () => this.#step());
  readonly wake = this.#work.wake;

  constructor(connections: Connections, clock: Clock, onPlanned: () => void) {
    this.#connections = connections;
    this.#clock = clock;
    this.#onPlanned = onPlanned;
    planLag.track(figureOf('plans', () => findPlanLag(connections)));
  }

  /** Plans everything due, unless another process is planning. @throws UNAVAILABLE */
  run(): Promise<void> {
    return this.#work.run();
  }

  close(): Promise<void> {
    return this.#work.stop();
  }

  /** Plans a page of the queue even if reading the log fails. @returns whether there may be more */
  async #step(): Promise<boolean> {
    const work = await findWork(this.#connections, this.#clock);
    const reading = work.log ? this.#readPage() : Promise.resolve(false);
    const hasRead = await reading.catch(() => false);
    const hasPlanned = (work.queue || hasRead) && (await this.#planPage());
    // Throws if reading failed.
    return (await reading) || hasPlanned;
  }

  async #readPage(): Promise<boolean> {
    const read = (size: number) => async (tx: Database) => {
      await planReader.readPage(tx, size);
      return true;
    };
    return (await this.#logPage.run((size) => planReader.locked(this.#connections, read(size)))) ?? false;
  }

  /** Plans a page. After failures, pages shrink until the failing space is alone and is skipped. */
  async #planPage(): Promise<boolean> {
    const { isLeast } = this.#queuePage;
    try {
      return await this.#queuePage.run((size) => this.#planSpaces(size));
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ error }, 'reminders could not be planned and will be retried');
      if (isLeast) await planReader.locked(this.#connections, (tx) => this.#skipPage(tx));
      return true;
    }
  }

  async #planSpaces(size: number): Promise<boolean> {
    const planned = await planReader.locked(this.#connections, async (tx) => {
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
