import { nextTurn } from '../../kernel/turns.ts';
import { logFailure } from '../../database/unavailable-log.ts';
import { retryUntil, wait } from '../../database/retry.ts';
import type { Transaction } from '../log/page.ts';
import { readPage } from '../log/page.ts';

/** What depends on a session of a user's. */
export interface Watcher {
  readonly userId: string;
  /** Reads its session and memberships again, and ends or narrows at once. */
  recheck(): Promise<void>;
  /** Called at every poll. */
  tick?(): void;
}

/** One subscription, as the hub knows it. */
export interface Subscriber extends Watcher {
  /** Takes a transaction that wrote to at least one of the spaces that it watches. */
  push(transaction: Transaction): void;
}

interface Watched {
  /** The log has been read and dispatched up to here. */
  revision: number;
  readonly subscribers: Set<Subscriber>;
}

/** Changes of a space to read at once. */
const pageSize = 1000;
/** Milliseconds between two reads: what changes meanwhile is read together. */
const coalesceMs = 10;
/** Subscriptions that are handed a transaction in one turn of the event loop. */
const receiversPerTurn = 250;

/**
 * Reads the log of the watched spaces once for the process and dispatches new transactions to the subscribers.
 * Notifications make it read; without any, it polls now and then.
 */
export class Hub {
  readonly #spaces = new Map<string, Watched>();
  readonly #users = new Map<string, Set<Watcher>>();
  readonly #due = new Set<string>();
  #reading: Promise<void> | undefined;
  /** Since when there is something to read that was not read yet, by the process' clock. */
  #behindSince: number | undefined;
  #closed = false;

  /** From now on it is told when sessions or memberships of its user may have changed. */
  add(watcher: Watcher): void {
    const own = this.#users.get(watcher.userId) ?? new Set();
    this.#users.set(watcher.userId, own.add(watcher));
  }

  remove(watcher: Watcher): void {
    const own = this.#users.get(watcher.userId);
    own?.delete(watcher);
    if (own?.size === 0) this.#users.delete(watcher.userId);
  }

  /**
   * Hands a space's transactions to the subscriber from now on.
   * @param revision of the space, from any snapshot in the past: where nobody watches the space yet, it is read
   *   on from there
   * @returns up to where the log has been dispatched to others before: what comes later will be dispatched to this one
   */
  watch(subscriber: Subscriber, spaceId: string, revision: number): number {
    const known = this.#spaces.get(spaceId);
    const watched = known ?? { revision, subscribers: new Set() };
    watched.subscribers.add(subscriber);
    this.#spaces.set(spaceId, watched);
    // Nobody was notified of what changed since that snapshot.
    if (!known) this.spacesChanged([spaceId]);
    return watched.revision;
  }

  unwatch(subscriber: Subscriber, spaceId: string): void {
    const watched = this.#spaces.get(spaceId);
    watched?.subscribers.delete(subscriber);
    if (watched?.subscribers.size === 0) this.#spaces.delete(spaceId);
  }

  /** Spaces may have changed: reads the log of those that are watched. */
  spacesChanged(spaceIds: Iterable<string>): void {
    for (const id of spaceIds) if (this.#spaces.has(id)) this.#due.add(id);
    if (this.#due.size === 0) return;
    this.#behindSince ??= performance.now();
    this.#startReading();
  }

  /** Sessions or memberships of users may have changed: what depends on them reads them again. */
  usersChanged(userIds: Iterable<string>): void {
    for (const id of userIds) this.#recheck(this.#users.get(id) ?? []);
  }

  /** Polls everything: covers lost notifications, foreign writers, and sessions that end by themselves. */
  pollAll(): void {
    this.spacesChanged(this.#spaces.keys());
    const watchers = [...this.#users.values()].flatMap((own) => [...own]);
    for (const watcher of watchers) watcher.tick?.();
    this.#recheck(watchers);
  }

  /**
   * Seconds for which subscribers have been waiting for changes that the process was notified of, or polls for: none where the
   * log has been read to its end, and more and more where it cannot be read.
   */
  get lagSeconds(): number {
    return this.#behindSince === undefined ? 0 : (performance.now() - this.#behindSince) / 1000;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#reading;
  }

  #recheck(watchers: Iterable<Watcher>): void {
    Promise.all([...watchers].map((watcher) => watcher.recheck())).catch((error: unknown) =>
      logFailure(error, 'sessions could not be read again'),
    );
  }

  #startReading(): void {
    this.#reading ??= this.#readDue()
      .catch((error: unknown) => logFailure(error, 'the change log was not read'))
      .finally(() => {
        this.#reading = undefined;
      });
  }

  async #readDue(): Promise<void> {
    // Spaces that are named one after the other are read together.
    await Promise.resolve();
    while (this.#due.size > 0 && !this.#closed) {
      const spaceIds = new Set(this.#due);
      this.#due.clear();
      let readAt = 0;
      const read = () => {
        readAt = performance.now();
        return this.#read(spaceIds);
      };
      await retryUntil('the change log could not be read', read, () => this.#closed);
      // What has become due since the read has waited since then at the longest.
      this.#behindSince = this.#due.size > 0 ? readAt : undefined;
      await wait(coalesceMs);
    }
  }

  /** Reads what is new in the spaces, and in others that the same transactions wrote to: none is dispatched in part. */
  async #read(spaceIds: Set<string>): Promise<void> {
    for (let more = true; more;) {
      const revisions = new Map<string, number>();
      for (const id of spaceIds) {
        const watched = this.#spaces.get(id);
        if (watched) revisions.set(id, watched.revision);
      }
      if (revisions.size === 0) return;
      const page = await readPage(revisions, pageSize);
      const others = [...page.elsewhere].filter(
        ([id, revision]) => (this.#spaces.get(id)?.revision ?? Infinity) < revision,
      );
      for (const [id] of others) spaceIds.add(id);
      if (others.length > 0) continue;
      const receivers = page.transactions.map((transaction) => this.#receiversOf(transaction));
      // Who begins to watch from here on reads by itself what is dispatched below.
      for (const [id, revision] of page.revisions)
        this.#advance(id, revision, revisions.get(id) ?? 0, page.transactions);
      for (const [index, transaction] of page.transactions.entries()) {
        await this.#dispatch(transaction, receivers[index] ?? new Set());
      }
      more = page.more;
    }
  }

  #receiversOf(transaction: Transaction): Set<Subscriber> {
    const receivers = new Set<Subscriber>();
    for (const space of transaction.ends.keys()) {
      for (const subscriber of this.#spaces.get(space)?.subscribers ?? []) receivers.add(subscriber);
    }
    return receivers;
  }

  /** Dispatches a transaction, to so many receivers in a turn of the event loop that others have theirs. */
  async #dispatch(transaction: Transaction, receivers: ReadonlySet<Subscriber>): Promise<void> {
    let count = 0;
    for (const subscriber of receivers) {
      if (count > 0 && count % receiversPerTurn === 0) await nextTurn();
      subscriber.push(transaction);
      count += 1;
    }
  }

  #advance(spaceId: string, revision: number, before: number, transactions: Transaction[]): void {
    const watched = this.#spaces.get(spaceId);
    if (!watched) return;
    watched.revision = Math.max(watched.revision, revision);
    // A space whose revision rose without a task's change may have lost or won a member.
    const isQuiet = !transactions.some(({ ends }) => ends.has(spaceId));
    if (revision > before && isQuiet) this.#recheck(watched.subscribers);
  }
}
