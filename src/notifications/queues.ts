import { AsyncResource } from 'node:async_hooks';
import type { DeliveryQueue } from '../generated/prisma/enums.ts';
import { every } from '../database/periodic.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { findDueQueues, giveBack, renew, type ClaimedDelivery, take } from './queue-data.ts';

/**
 * Mails that a process sends at once, by queue. No queue waits for another one: codes are first in line, and what has failed once,
 * as its mail server is slow or does not answer, keeps nothing else waiting.
 */
export const concurrency: Readonly<Record<DeliveryQueue, number>> = {
  CODE: 4,
  CODE_RETRY: 2,
  NOTICE: 2,
  REMINDER: 8,
  DIGEST: 8,
  RETRY: 4,
};

/** Seconds for which what is taken up is a process' own, as long as it renews that: where it ends, another one takes it up after them. */
const leaseSeconds = 10;

/** Milliseconds after which leases are renewed. */
const renewMs = 3_000;

/** Milliseconds after which the queues are polled. */
const pollMs = 1000;

/** Deliveries that are taken up by one statement, for each that is sent at once. */
const batchFactor = 4;

/** A delivery that is this process' own until a moment: by then the database may say so of another one. */
interface Leased {
  taken: ClaimedDelivery;
  attempt: Attempt;
}

/** When a lease ends that begins, or is renewed, by a statement that is sent now. */
const endOfLease = () => performance.now() + leaseSeconds * 1000;

/** A queue as this process empties it. */
interface Line {
  /** ClaimedDelivery up, and not yet begun. */
  ready: Leased[];
  /** Those who send of it at the moment, one mail after the other. */
  workers: number;
  taking: Promise<void> | undefined;
  /** Whether nothing was left when something was last taken up, and it was not said since then that there is. */
  isEmpty: boolean;
}

const emptyLine = (): Line => ({ ready: [], workers: 0, taking: undefined, isEmpty: true });

/** Takes up what is due, in all queues, and has it sent. */
export class Queues {
  readonly #clock: Clock;
  readonly #send: (taken: ClaimedDelivery, attempt: Attempt) => Promise<void>;
  readonly #looks: { stop(): void };
  readonly #renewals: { stop(): void };
  readonly #leased = new Set<Leased>();
  readonly #lines: Readonly<Record<DeliveryQueue, Line>> = {
    CODE: emptyLine(),
    CODE_RETRY: emptyLine(),
    NOTICE: emptyLine(),
    REMINDER: emptyLine(),
    DIGEST: emptyLine(),
    RETRY: emptyLine(),
  };
  readonly #working = new Set<Promise<void>>();
  #looking: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;

  /** Something is to be sent. It is sent outside of the operation that says so. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#isAskedAgain = true;
    this.#looking ??= this.#look()
      .catch((error: unknown) => logFailure(error, 'mails that are due could not be found'))
      .finally(() => {
        this.#looking = undefined;
      });
  });

  /** @param send sends a delivery, and notes what has become of it; it throws nothing */
  constructor(clock: Clock, send: (taken: ClaimedDelivery, attempt: Attempt) => Promise<void>) {
    this.#clock = clock;
    this.#send = send;
    this.#looks = every(pollMs, 'the sending of mails', () => Promise.resolve(this.wake()));
    this.#renewals = every(renewMs, 'the renewal of leases of mails', () => this.#renew());
  }

  /** Settles when nothing is due any more but what has failed by then. */
  async drain(): Promise<void> {
    this.wake();
    await this.#looking;
    if (this.#working.size === 0) return;
    await Promise.all(this.#working);
    await this.drain();
  }

  /** Ends the attempts under way. */
  cut(): void {
    for (const { attempt } of this.#leased) attempt.end();
  }

  /** Takes nothing up any more. @returns when nothing is being sent */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#looks.stop();
    await this.#looking;
    await Promise.all(this.#working);
    this.#renewals.stop();
  }

  async #look(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      for (const queue of await findDueQueues(this.#clock)) this.#begin(queue);
    }
  }

  /** Gives all places of a queue that are free to workers: a mail that takes long keeps its own place alone. */
  #begin(queue: DeliveryQueue): void {
    const line = this.#lines[queue];
    line.isEmpty = false;
    while (line.workers < concurrency[queue]) {
      line.workers += 1;
      const working = this.#work(queue, line).finally(() => {
        line.workers -= 1;
        this.#working.delete(working);
      });
      this.#working.add(working);
    }
  }

  /** Sends what is due in a queue, one after the other, until there is nothing left. */
  async #work(queue: DeliveryQueue, line: Line): Promise<void> {
    for (;;) {
      const next = line.ready.shift();
      if (next) await this.#sendLeased(next);
      else if (line.taking) await line.taking;
      else if (line.isEmpty || this.#isClosed) return;
      else {
        line.taking = this.#refill(queue, line)
          .catch((error: unknown) => logFailure(error, 'mails that are due could not be taken up', { queue }))
          .finally(() => (line.taking = undefined));
      }
    }
  }

  async #refill(queue: DeliveryQueue, line: Line): Promise<void> {
    const limit = concurrency[queue] * batchFactor;
    const until = endOfLease();
    // What comes from now on may not be seen by the statement: whoever says so meanwhile is heard.
    line.isEmpty = true;
    const found = await take(this.#clock, queue, limit, leaseSeconds);
    if (found.length === limit) line.isEmpty = false;
    for (const taken of found) {
      const leased = { taken, attempt: new Attempt(until) };
      this.#leased.add(leased);
      line.ready.push(leased);
    }
  }

  /** Where the lease could not be renewed, as the database was away, others may send it by now: then it is left to them. */
  async #sendLeased(leased: Leased): Promise<void> {
    const { taken, attempt } = leased;
    try {
      if (this.#isClosed || !attempt.isHeld) await giveBack(taken).catch(() => undefined);
      else {
        attempt.begin();
        await this.#send(taken, attempt);
      }
    } finally {
      attempt.release();
      this.#leased.delete(leased);
    }
  }

  async #renew(): Promise<void> {
    const until = endOfLease();
    const old = [...this.#leased].filter((each) => until - each.attempt.leasedUntil >= renewMs / 2);
    if (old.length === 0) return;
    const ours = await renew(
      this.#clock,
      old.map(({ taken }) => taken),
      leaseSeconds,
    );
    // What was not renewed is another process' by now, or has ended.
    for (const each of old) each.attempt.leaseUntil(ours.has(each.taken.id) ? until : 0);
  }
}
