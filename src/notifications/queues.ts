import { AsyncResource } from 'node:async_hooks';
import { every, logFailure } from '@taskgate/postgres';
import { FairQueue } from '@taskgate/work';
import type { DeliveryQueue } from '../generated/prisma/enums.ts';
import type { Connections } from '../platform/database.ts';
import { Attempt } from './attempt.ts';
import type { Clock } from './clock.ts';
import { claim, type ClaimedDelivery, findDueQueues, release, renew } from './queue-data.ts';

/**
 * Number of mails that a process sends at once from each queue. Queues do not wait for each other: a slow mail server
 * delays only the retries. In a queue, a recipient has one slot, and a domain has four.
 */
export const concurrency: Readonly<Record<DeliveryQueue, number>> = {
  CODE: 8,
  CODE_RETRY: 4,
  NOTICE: 6,
  REMINDER: 12,
  DIGEST: 12,
  RETRY: 8,
};

/** Maximum number of waiting recipients, as a multiple of the concurrency. */
const waitingFactor = 16;

/** If a process does not renew its lease, another one may claim the delivery. */
const leaseSeconds = 10;

const renewMs = 3_000;

/** Finds newly due deliveries, and deliveries of ended processes. */
const pollMs = 1000;

const pagesAtOnce = 20;

/** Seconds until the deliveries of a crowded domain are due again, behind newer ones. */
const crowdedSeconds = 1;

/** Maximum number of separate reminder mails for a user in a minute. Further reminders share one mail. */
const singleReminders = 3;

/** Maximum number of reminder mails for a user in an hour, and seconds until further ones are retried. */
const [mailsAnHour, fullSeconds] = [120, 300];

interface Batch {
  deliveries: readonly ClaimedDelivery[];
  attempt: Attempt;
}

interface Recipient {
  address: string;
  domain: string;
}

interface Lane {
  queue: FairQueue;
  /** Recipients by {@link ClaimedDelivery.key}. */
  batches: Map<string, Recipient & { count: number }>;
  claiming: Promise<void> | undefined;
  hasMore: boolean;
}

const endOfLease = () => performance.now() + leaseSeconds * 1000;

const laneOf = (queue: DeliveryQueue): Lane => ({
  queue: new FairQueue({ name: `mails_${queue.toLowerCase()}`, slots: concurrency[queue], slotsPerKey: 1 }),
  batches: new Map(),
  claiming: undefined,
  hasMore: false,
});

export class Queues {
  readonly #connections: Connections;
  readonly #clock: Clock;
  readonly #addressOf: (delivery: ClaimedDelivery) => string;
  readonly #send: (batch: readonly ClaimedDelivery[], attempt: Attempt) => Promise<void>;
  readonly #pollTimer: { stop(): void };
  readonly #renewTimer: { stop(): void };
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
  #isPollRequested = false;
  #isClosed = false;

  /** Runs outside of the caller's operation. */
  readonly wake = AsyncResource.bind(() => {
    if (this.#isClosed) return;
    this.#isPollRequested = true;
    this.#polling ??= this.#poll()
      .catch((error: unknown) => logFailure(error, 'due mails could not be found'))
      .finally(() => {
        this.#polling = undefined;
      });
  });

  /** @param send sends a mail, records the outcome, and never throws */
  constructor(
    connections: Connections,
    clock: Clock,
    addressOf: (delivery: ClaimedDelivery) => string,
    send: (batch: readonly ClaimedDelivery[], attempt: Attempt) => Promise<void>,
  ) {
    this.#connections = connections;
    this.#clock = clock;
    this.#addressOf = addressOf;
    this.#send = send;
    this.#pollTimer = every(pollMs, 'the sending of mails', () => Promise.resolve(this.wake()));
    this.#renewTimer = every(renewMs, 'the renewal of mail leases', () => this.#renew());
  }

  async drain(): Promise<void> {
    this.wake();
    await this.#polling;
    if (this.#working.size === 0) return;
    await Promise.all(this.#working);
    await this.drain();
  }

  abort(): void {
    for (const { attempt } of this.#batches) attempt.end();
  }

  /** Stops claiming. Resolves when no mail is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#pollTimer.stop();
    await this.#polling;
    await Promise.all(this.#working);
    this.#renewTimer.stop();
  }

  async #poll(): Promise<void> {
    while (this.#isPollRequested) {
      this.#isPollRequested = false;
      const queues = await findDueQueues(this.#connections, this.#clock);
      await Promise.all(queues.map((queue) => this.#fill(queue)));
    }
  }

  #fill(queue: DeliveryQueue): Promise<void> {
    const lane = this.#lanes[queue];
    lane.claiming ??= this.#claim(queue, lane)
      .catch((error: unknown) => logFailure(error, 'due mails could not be claimed', { queue }))
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
      const result = await claim(this.#connections, this.#clock, queue, {
        except: [...batches.keys()],
        limit,
        leaseSeconds,
      });
      others = result.others;
      lane.hasMore ||= result.same;
      const [crowded, full]: [ClaimedDelivery[], ClaimedDelivery[]] = [[], []];
      for (const claimed of result.claimed) {
        const [first] = claimed;
        const address = first ? this.#addressOf(first) : '';
        const recipient = { address, domain: address.slice(address.lastIndexOf('@') + 1) };
        const ofDomain = [...batches.values()].filter(({ domain }) => domain === recipient.domain).length;
        // A domain takes at most half of the room that others leave, so there is always room for another domain.
        if (ofDomain > room() / 2) crowded.push(...claimed);
        else if (isFull(claimed)) full.push(...claimed);
        else {
          for (const batch of batchesOf(claimed)) {
            this.#enqueue(queue, recipient, { deliveries: batch, attempt: new Attempt(until) });
          }
        }
      }
      if (crowded.length > 0) await release(this.#connections, this.#clock, crowded, { pauseSeconds: crowdedSeconds });
      if (full.length > 0) await release(this.#connections, this.#clock, full, { pauseSeconds: fullSeconds });
    }
    lane.hasMore ||= others;
  }

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

  /** Sends a batch, unless its lease has ended, as after a database outage: another process may then send it. */
  async #sendBatch({ deliveries, attempt }: Batch): Promise<void> {
    if (this.#isClosed || !attempt.isHeld) {
      await release(this.#connections, this.#clock, deliveries, { pauseSeconds: 0 });
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
    const ours = await renew(this.#connections, this.#clock, all, leaseSeconds);
    // A batch that is not ours belongs to another process, or has ended.
    for (const { deliveries, attempt } of old) {
      const isOurs = deliveries.some(({ id }) => ours.has(id));
      attempt.leaseUntil(isOurs ? until : 0);
    }
  }
}

const isFull = (claimed: readonly ClaimedDelivery[]) =>
  claimed.some(({ kind, mailsOfHour }) => kind === 'REMINDER' && mailsOfHour >= mailsAnHour);

function batchesOf(claimed: readonly ClaimedDelivery[]): ClaimedDelivery[][] {
  const reminders = claimed.filter(({ kind }) => kind === 'REMINDER');
  const others = claimed.filter(({ kind }) => kind !== 'REMINDER');
  const [first] = reminders;
  const isMany = first !== undefined && first.remindersOfMinute + reminders.length > singleReminders;
  return [...(isMany ? [reminders] : reminders.map((each) => [each])), ...others.map((each) => [each])];
}
