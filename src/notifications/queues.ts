import { AsyncResource } from 'node:async_hooks';
import type { DeliveryQueue } from '../generated/prisma/enums.ts';
import { every } from '../database/periodic.ts';
import { logFailure } from '../database/unavailable-log.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { claim, type ClaimedDelivery, findDueQueues, giveBack, renew } from './queue-data.ts';

/**
 * Mails that a process sends at once, by queue. No queue waits for another one: codes are first in line, and what has failed once,
 * as its mail server is slow or does not answer, keeps nothing else waiting. Within a queue recipients take turns; a recipient has one
 * place, and those of a domain together four.
 */
export const concurrency: Readonly<Record<DeliveryQueue, number>> = {
  CODE: 8,
  CODE_RETRY: 4,
  NOTICE: 6,
  REMINDER: 12,
  DIGEST: 12,
  RETRY: 8,
};

/** Mails of a queue that wait in a process for their turn, for each that is sent at once. */
const waitingFactor = 16;

/** Seconds for which what is claimed is a process' own, as long as it renews that: where it ends, another one claims it after them. */
const leaseSeconds = 10;

/** Milliseconds after which leases are renewed. */
const renewMs = 3_000;

/** Milliseconds between polls: for what is due by time, and for what other processes have left. */
const pollMs = 1000;

/** Statements by which a queue is claimed from at once. */
const pagesAtOnce = 20;

/** Seconds after which what there is no room for is claimed again: behind what has become due by then. */
const crowdedSeconds = 1;

/** Reminders that a user has within a minute, each as a separate mail: of more that are due together they have one mail. */
const singleReminders = 3;

/** Mails with reminders that a user has within an hour; and seconds after which what goes beyond is tried again. */
const [mailsAnHour, fullSeconds] = [120, 300];

/** What goes out as one mail, to one recipient. */
interface Batch {
  deliveries: readonly ClaimedDelivery[];
  attempt: Attempt;
}

interface Recipient {
  address: string;
  domain: string;
}

/** A queue as this process empties it. */
interface Lane {
  queue: FairQueue;
  /** What waits, or is being sent, by its {@link ClaimedDelivery.key}. */
  batches: Map<string, Recipient & { count: number }>;
  claiming: Promise<void> | undefined;
  /** Whether there was more than was claimed. */
  hasMore: boolean;
}

/** When a lease ends that begins, or is renewed, by a statement that is sent now. */
const endOfLease = () => performance.now() + leaseSeconds * 1000;

const laneOf = (queue: DeliveryQueue): Lane => ({
  queue: new FairQueue({ name: `mails_${queue.toLowerCase()}`, slots: concurrency[queue], slotsPerKey: 1 }),
  batches: new Map(),
  claiming: undefined,
  hasMore: false,
});

/** Claims what is due, in all queues, and has it sent. */
export class Queues {
  readonly #clock: Clock;
  readonly #addressOf: (delivery: ClaimedDelivery) => string;
  readonly #send: (batch: readonly ClaimedDelivery[], attempt: Attempt) => Promise<void>;
  readonly #polls: { stop(): void };
  readonly #renewals: { stop(): void };
  readonly #batches = new Set<Batch>();
  readonly #lanes: Readonly<Record<DeliveryQueue, Lane>> = {
    CODE: laneOf('CODE'),
    CODE_RETRY: laneOf('CODE_RETRY'),
    NOTICE: laneOf('NOTICE'),
    REMINDER: laneOf('REMINDER'),
    DIGEST: laneOf('DIGEST'),
    RETRY: laneOf('RETRY'),
  };
  readonly #working = new Set<Promise<void>>();
  #polling: Promise<void> | undefined;
  #isAskedAgain = false;
  #isClosed = false;

  /** Something is to be sent. It is sent outside of the operation that says so. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#isAskedAgain = true;
    this.#polling ??= this.#poll()
      .catch((error: unknown) => logFailure(error, 'mails that are due could not be found'))
      .finally(() => {
        this.#polling = undefined;
      });
  });

  /**
   * @param addressOf where a delivery goes to
   * @param send sends deliveries to one recipient as one mail, and notes what has become of them; it throws nothing
   */
  constructor(
    clock: Clock,
    addressOf: (delivery: ClaimedDelivery) => string,
    send: (batch: readonly ClaimedDelivery[], attempt: Attempt) => Promise<void>,
  ) {
    this.#clock = clock;
    this.#addressOf = addressOf;
    this.#send = send;
    this.#polls = every(pollMs, 'the sending of mails', () => Promise.resolve(this.wake()));
    this.#renewals = every(renewMs, 'the renewal of leases of mails', () => this.#renew());
  }

  /** Settles when nothing is due any more but what has failed by then. */
  async drain(): Promise<void> {
    this.wake();
    await this.#polling;
    if (this.#working.size === 0) return;
    await Promise.all(this.#working);
    await this.drain();
  }

  cut(): void {
    for (const { attempt } of this.#batches) attempt.end();
  }

  /** Claims nothing any more. @returns when nothing is being sent */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#polls.stop();
    await this.#polling;
    await Promise.all(this.#working);
    this.#renewals.stop();
  }

  async #poll(): Promise<void> {
    while (this.#isAskedAgain) {
      this.#isAskedAgain = false;
      const queues = await findDueQueues(this.#clock);
      await Promise.all(queues.map((queue) => this.#fill(queue)));
    }
  }

  /** Claims what is due in a queue, where few wait in this process. */
  #fill(queue: DeliveryQueue): Promise<void> {
    const lane = this.#lanes[queue];
    lane.claiming ??= this.#claim(queue, lane)
      .catch((error: unknown) => logFailure(error, 'mails that are due could not be claimed', { queue }))
      .finally(() => (lane.claiming = undefined));
    return lane.claiming;
  }

  async #claim(queue: DeliveryQueue, lane: Lane): Promise<void> {
    const { batches } = lane;
    const room = () => concurrency[queue] * waitingFactor - batches.size;
    lane.hasMore = false;
    let others = true;
    for (let page = 0; page < pagesAtOnce && others && room() >= concurrency[queue] && !this.#isClosed; page += 1) {
      const [until, limit] = [endOfLease(), room()];
      const found = await claim(this.#clock, queue, { except: [...batches.keys()], limit, leaseSeconds });
      others = found.others;
      lane.hasMore ||= found.same;
      const [crowded, full]: [ClaimedDelivery[], ClaimedDelivery[]] = [[], []];
      for (const claimed of found.claimed) {
        const [first] = claimed;
        const address = first ? this.#addressOf(first) : '';
        const recipient = { address, domain: address.slice(address.lastIndexOf('@') + 1) };
        const ofDomain = [...batches.values()].filter(({ domain }) => domain === recipient.domain).length;
        // A domain takes half of what the others have left, so that however many of it wait there is room for one more.
        if (ofDomain > room() / 2) crowded.push(...claimed);
        else if (isFull(claimed)) full.push(...claimed);
        else {
          for (const batch of batchesOf(claimed)) {
            this.#enqueue(queue, recipient, { deliveries: batch, attempt: new Attempt(until) });
          }
        }
      }
      if (crowded.length > 0) await giveBack(this.#clock, crowded, { pauseSeconds: crowdedSeconds });
      if (full.length > 0) await giveBack(this.#clock, full, { pauseSeconds: fullSeconds });
    }
    lane.hasMore ||= others;
  }

  /** Has a batch sent when it is the turn of its recipient. */
  #enqueue(queue: DeliveryQueue, recipient: Recipient, batch: Batch): void {
    const lane = this.#lanes[queue];
    const { key = '' } = batch.deliveries[0] ?? {};
    const entry = lane.batches.get(key) ?? { ...recipient, count: 0 };
    lane.batches.set(key, entry);
    entry.count += 1;
    this.#batches.add(batch);
    const working = lane.queue
      .run([recipient.address, recipient.domain], () => this.#sendBatch(batch), { isPatient: true })
      .catch((error: unknown) => logFailure(error, 'a mail could not be sent', { queue }))
      .finally(() => {
        this.#working.delete(working);
        this.#batches.delete(batch);
        batch.attempt.release();
        entry.count -= 1;
        if (entry.count === 0) lane.batches.delete(key);
        if (lane.hasMore && lane.batches.size <= concurrency[queue]) this.wake();
      });
    this.#working.add(working);
  }

  /** If the lease could not be renewed, as the database was away, others may send it by now: then it is left to them. */
  async #sendBatch({ deliveries, attempt }: Batch): Promise<void> {
    if (this.#isClosed || !attempt.isHeld) {
      await giveBack(this.#clock, deliveries, { pauseSeconds: 0 });
      return;
    }
    attempt.begin();
    await this.#send(deliveries, attempt);
  }

  async #renew(): Promise<void> {
    const until = endOfLease();
    const old = [...this.#batches].filter(({ attempt }) => until - attempt.leasedUntil >= renewMs / 2);
    if (old.length === 0) return;
    const all = old.flatMap(({ deliveries }) => deliveries);
    const ours = await renew(this.#clock, all, leaseSeconds);
    // What was not renewed is another process' by now, or has ended.
    for (const { deliveries, attempt } of old) {
      const isOurs = deliveries.some(({ id }) => ours.has(id));
      attempt.leaseUntil(isOurs ? until : 0);
    }
  }
}

/** Whether a user has had as many mails with reminders as there may be. */
const isFull = (claimed: readonly ClaimedDelivery[]) =>
  claimed.some(({ kind, mailsOfHour }) => kind === 'REMINDER' && mailsOfHour >= mailsAnHour);

/** What goes out as one mail each of what is due to a recipient. */
function batchesOf(claimed: readonly ClaimedDelivery[]): ClaimedDelivery[][] {
  const reminders = claimed.filter(({ kind }) => kind === 'REMINDER');
  const others = claimed.filter(({ kind }) => kind !== 'REMINDER');
  const [first] = reminders;
  const isMany = first !== undefined && first.remindersOfMinute + reminders.length > singleReminders;
  return [...(isMany ? [reminders] : reminders.map((each) => [each])), ...others.map((each) => [each])];
}
