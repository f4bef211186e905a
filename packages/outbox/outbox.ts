import { AsyncResource } from 'node:async_hooks';
import { groupBy, log, settlesWithin } from '@taskgate/base';
import { type Clock, every, logFailure, type Postgres, type Queryable, retryUntil } from '@taskgate/postgres';
import { FairQueue } from '@taskgate/work';
import { Attempt } from './attempt.ts';
import { type ClaimedRow, type Ended, type OutboxTable, Rows } from './rows.ts';

/** Maximum number of waiting keys, as a multiple of the slots. */
const waitingFactor = 16;

/** If a process does not renew its lease, another one may claim the row. */
const leaseSeconds = 10;

const renewMs = 3_000;

/** Finds newly due rows, and rows of ended processes. */
const pollMs = 1000;

const pagesAtOnce = 20;

/** Seconds until the rows of a crowded group are due again, behind newer ones. */
const crowdedSeconds = 1;

/** How long to retry recording the end of a row. */
const recordTimeoutMs = 60_000;

export interface OutboxOptions<Row extends ClaimedRow> {
  connections: Postgres;
  clock: Clock;
  /** A singular noun for a row, for the log and the metrics. */
  name: string;
  table: OutboxTable;
  /** Number of rows that a process sends at once from each lane. Lanes do not wait for each other. */
  lanes: Readonly<Record<string, number>>;
  /** Whom a row is for. In a lane, a recipient has one slot, a group of recipients four, and each wider group four times as many. */
  recipientOf: (row: Row) => Recipient;
  /** Splits the claimed rows of a key into rows that are sent together. By default, each row is sent alone. */
  batchesOf?: (rows: readonly Row[]) => readonly Some<Row>[];
  /** Seconds that the claimed rows of a key must wait, because of a limit. */
  delayOf?: (rows: readonly Row[]) => number;
  /** Sends rows, then ends, retries or postpones each. Never throws. */
  send: (rows: Some<Row>, attempt: Attempt) => Promise<void>;
  /** Ends rows, with its consequences in the same transaction. */
  end?: (rows: Some<Row>, ended: Ended, endIn: (database: Queryable) => Promise<Set<string>>) => Promise<Set<string>>;
}

type Some<Row> = readonly [Row, ...Row[]];

type Recipient = readonly [recipient: string, group: string, ...wider: string[]];

interface Batch<Row> {
  rows: Some<Row>;
  attempt: Attempt;
}

interface Lane {
  name: string;
  slots: number;
  queue: FairQueue;
  /** Claimed keys. */
  waiting: Map<string, { group: string; batches: number }>;
  claiming: Promise<void> | undefined;
  hasMore: boolean;
}

const endOfLease = () => performance.now() + leaseSeconds * 1000;

/** Pause before a retry: 2, 6, 18 seconds and so on, up to half an hour. */
const pauseSeconds = (failures: number) => Math.min(2 * 3 ** (failures - 1), 30 * 60);

/**
 * Sends the rows of a table, such as mails, by all processes together. The states of a row:
 *
 *   planned   status PLANNED, and no lease. It is due from `next_at`
 *   leased    status PLANNED, and held by a process until `leased_until`, which `next_at` equals
 *   ended     status SENT, SKIPPED or FAILED, with the `reason` of the latter two
 *
 *   planned → leased    a process claims the due rows of a key. This raises `attempts` and `lease`
 *   leased → leased     the process renews the lease; or the lease is lost: it has ended, and another process claims the row
 *   leased → planned    released: its turn did not come, or another limit holds it. The attempt does not count
 *                       retried: sending failed, and it waits for a growing pause
 *                       postponed: it is not due yet. It gets another `at` and counts no attempt
 *   leased → ended      sent, skipped (its occasion is gone) or failed (refused, or expired)
 *
 * Each transition from `leased` requires the holder's number `lease`. A process that has lost the lease therefore
 * changes nothing, and sends nothing ({@link Attempt}). A row is sent twice only if a process ends between the
 * recipient's answer and the commit.
 */
export class Outbox<Row extends ClaimedRow> {
  readonly #options: OutboxOptions<Row>;
  readonly #rows: Rows<Row>;
  readonly #lanes: readonly Lane[];
  readonly #pollTimer: { stop(): void };
  readonly #renewTimer: { stop(): void };
  readonly #batches = new Set<Batch<Row>>();
  readonly #working = new Set<Promise<void>>();
  #polling: Promise<void> | undefined;
  #isPollRequested = false;
  #isAborted = false;
  #isClosed = false;

  /** Sends due rows without waiting for the next poll. Runs outside of the caller's operation. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#isPollRequested = true;
    this.#polling ??= this.#poll()
      .catch((error: unknown) => logFailure(error, `due ${this.#options.name}s could not be found`))
      .finally(() => {
        this.#polling = undefined;
      });
  });

  constructor(options: OutboxOptions<Row>) {
    const { table, connections, clock, name, lanes } = options;
    this.#options = options;
    this.#rows = new Rows(table, connections, clock);
    this.#lanes = Object.entries(lanes).map(([lane, slots]) => ({
      name: lane,
      slots,
      queue: new FairQueue({ name: `${name}s_${lane.toLowerCase()}`, slots, slotsPerKey: 1 }),
      waiting: new Map(),
      claiming: undefined,
      hasMore: false,
    }));
    this.#pollTimer = every(pollMs, `the sending of ${name}s`, () => Promise.resolve(this.wake()));
    this.#renewTimer = every(renewMs, `the renewal of ${name} leases`, () => this.#renew());
  }

  /** Runs work that has no row in a slot of its recipient. @throws UNAVAILABLE if it waits too long */
  runBeside<Result>(lane: string, recipient: Recipient, work: () => Promise<Result>): Promise<Result> {
    const found = this.#lanes.find(({ name }) => name === lane);
    if (!found) throw new Error(`there is no lane ${lane}`);
    return found.queue.run(recipient, work);
  }

  /** Delay of the oldest due row in the lanes, in seconds. */
  findLag(lanes: readonly string[]): Promise<number> {
    return this.#rows.findLag(lanes);
  }

  /** Resolves when nothing is due. */
  async drain(): Promise<void> {
    this.wake();
    await this.#polling;
    if (this.#working.size === 0) return;
    await Promise.all(this.#working);
    await this.drain();
  }

  /**
   * Stops claiming. Waits for rows in progress, then aborts them: another process, or the next start, sends those.
   * Resolves when none is in progress.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#isClosed = true;
    this.#pollTimer.stop();
    const ended = (this.#polling ?? Promise.resolve()).then(() => Promise.all(this.#working));
    if (!(await settlesWithin(timeoutMs, ended))) this.#abort();
    await ended;
    this.#renewTimer.stop();
  }

  /**
   * Ends rows. Retries for a minute, because a row without an end is sent again.
   * @returns the rows that this process still held. Another process reports the other ones
   */
  async end([first, ...others]: readonly Row[], ended: Ended): Promise<Row[]> {
    if (!first) return [];
    const rows = [first, ...others] as const;
    const { name, connections, end } = this.#options;
    const deadline = performance.now() + recordTimeoutMs;
    const isOver = () => this.#isAborted || performance.now() > deadline;
    const what = `the outcome of a ${name} could not be recorded`;
    const endIn = (database: Queryable) => this.#rows.end(database, rows, ended);
    const recordOnce = () => (end ? end(rows, ended, endIn) : endIn(connections));
    // Unlike in a client's request, overload must not end the retries.
    const record = () => recordOnce().catch((cause: unknown) => Promise.reject(new Error(what, { cause })));
    const ours = await retryUntil(what, record, isOver).catch((error: unknown) => {
      log.warn({ deliveryId: first.id, error }, `${what}: the ${name} will be sent again`);
      return new Set<string>();
    });
    return rows.filter(({ id }) => ours.has(id));
  }

  /** Seconds until {@link retry} lets a row be claimed again. */
  pauseOf({ attempts }: Row): number {
    return this.#isAborted ? 0 : pauseSeconds(attempts);
  }

  /** Retries rows after a pause. If this cannot be recorded, they are retried after their lease. */
  async retry(rows: readonly Row[]): Promise<void> {
    for (const [pause, group] of groupBy(rows, (row) => this.pauseOf(row))) {
      await this.#rows
        .release(group, pause, { isTried: true })
        .catch((cause: unknown) => logFailure(cause, `the outcome of a ${this.#options.name} could not be recorded`));
    }
  }

  /** Plans rows for a later moment, as if they had never been tried. */
  async postpone(rows: readonly Row[], at: Date): Promise<void> {
    await this.#rows.postpone(rows, at);
  }

  #abort(): void {
    this.#isAborted = true;
    for (const { attempt } of this.#batches) attempt.end();
  }

  async #poll(): Promise<void> {
    while (this.#isPollRequested) {
      this.#isPollRequested = false;
      const due = await this.#rows.findDueLanes(this.#lanes.map(({ name }) => name));
      await Promise.all(this.#lanes.filter(({ name }) => due.has(name)).map((lane) => this.#fill(lane)));
    }
  }

  #fill(lane: Lane): Promise<void> {
    lane.claiming ??= this.#claim(lane)
      .catch((error: unknown) =>
        logFailure(error, `due ${this.#options.name}s could not be claimed`, { queue: lane.name }),
      )
      .finally(() => (lane.claiming = undefined));
    return lane.claiming;
  }

  async #claim(lane: Lane): Promise<void> {
    const { name, slots, waiting } = lane;
    const { recipientOf, batchesOf = eachAlone, delayOf = () => 0 } = this.#options;
    const room = () => slots * waitingFactor - waiting.size;
    lane.hasMore = false;
    let others = true;
    for (let page = 0; page < pagesAtOnce && others && room() >= slots && !this.#isClosed; page += 1) {
      const until = endOfLease();
      const result = await this.#rows.claim(name, { except: [...waiting.keys()], limit: room(), leaseSeconds });
      others = result.others;
      lane.hasMore ||= result.same;
      const paused: { row: Row; seconds: number }[] = [];
      for (const rows of result.claimed) {
        const recipient = recipientOf(rows[0]);
        const ofGroup = [...waiting.values()].filter(({ group }) => group === recipient[1]).length;
        // A group takes at most half of the room that others leave, so there is always room for another group.
        const seconds = ofGroup > room() / 2 ? crowdedSeconds : delayOf(rows);
        if (seconds > 0) paused.push(...rows.map((row) => ({ row, seconds })));
        else for (const batch of batchesOf(rows)) this.#enqueue(lane, recipient, batch, new Attempt(until));
      }
      for (const [seconds, each] of groupBy(paused, (one) => one.seconds)) {
        await this.#rows.release(
          each.map(({ row }) => row),
          seconds,
        );
      }
    }
    lane.hasMore ||= others;
  }

  #enqueue(lane: Lane, recipient: Recipient, rows: Some<Row>, attempt: Attempt): void {
    const { name, table } = this.#options;
    const [{ key }] = rows;
    const entry = lane.waiting.get(key) ?? { group: recipient[1], batches: 0 };
    lane.waiting.set(key, entry);
    entry.batches += 1;
    const batch = { rows, attempt };
    this.#batches.add(batch);
    const working = lane.queue
      .run(recipient, () => this.#sendBatch(batch), { isPatient: true })
      .catch((error: unknown) => logFailure(error, `a ${name} could not be sent`, { queue: lane.name }))
      .finally(() => {
        this.#working.delete(working);
        this.#batches.delete(batch);
        attempt.release();
        entry.batches -= 1;
        if (entry.batches === 0) lane.waiting.delete(key);
        // The end of an ordered row makes the next one due.
        if ((lane.hasMore || table.isOrdered) && lane.waiting.size <= lane.slots) this.wake();
      });
    this.#working.add(working);
  }

  /** Sends a batch, unless its lease has ended, as after a database outage: another process may then send it. */
  async #sendBatch({ rows, attempt }: Batch<Row>): Promise<void> {
    if (this.#isClosed || !attempt.isHeld) {
      await this.#rows.release(rows, 0);
      return;
    }
    attempt.begin();
    await this.#options.send(rows, attempt);
  }

  async #renew(): Promise<void> {
    const until = endOfLease();
    const old = [...this.#batches].filter(({ attempt }) => until - attempt.leasedUntil >= renewMs / 2);
    if (old.length === 0) return;
    const all = old.flatMap(({ rows }) => rows);
    const ours = await this.#rows.renew(all, leaseSeconds);
    // A batch that is not ours belongs to another process, or has ended.
    for (const { rows, attempt } of old) attempt.leaseUntil(rows.some(({ id }) => ours.has(id)) ? until : 0);
  }
}

const eachAlone = <Row>(rows: readonly Row[]): Some<Row>[] => rows.map((row) => [row]);
