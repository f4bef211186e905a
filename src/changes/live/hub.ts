import { isSamePoint, type Point } from '../../kernel/point.ts';
import { nextTurn } from '../../kernel/turns.ts';
import { logFailure } from '../../database/unavailable-log.ts';
import { retryUntil, wait } from '../../database/retry.ts';
import type { Place, Points } from '../log/cursor.ts';
import { findLost } from '../log/data.ts';
import { type LogPage, readPage, type Transaction } from '../log/page.ts';

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
  /** Takes that spaces have come to these points, with nothing of tasks beyond what it was given. */
  moveOn(points: ReadonlyMap<string, Point>): void;
  /** The log does not go on from where it was dispatched to: reads it from its own place, if that is kept. */
  readAgain(): void;
}

interface Watched {
  /** The log has been read and dispatched up to here. */
  point: Point;
  /** Where subscribers stand that have read further by themselves: what is dispatched has to come by there. */
  ahead: Place[];
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
   * @param point of the space, from any snapshot in the past: where nobody watches the space yet, it is read on from there
   * @returns up to where the log has been dispatched to others before: what comes later will be dispatched to this one
   */
  watch(subscriber: Subscriber, spaceId: string, point: Point): Point {
    const known = this.#spaces.get(spaceId);
    const watched = known ?? { point, ahead: [], subscribers: new Set() };
    watched.subscribers.add(subscriber);
    this.#spaces.set(spaceId, watched);
    // Nobody was notified of what changed since that snapshot.
    if (!known) this.spacesChanged([spaceId]);
    this.noteReached(new Map([[spaceId, point]]));
    return watched.point;
  }

  /** A subscriber has read the log of spaces up to these points by itself, and leaves out what it is given of that. */
  noteReached(points: ReadonlyMap<string, Point>): void {
    for (const [space, point] of points) {
      const watched = this.#spaces.get(space);
      if (!watched || watched.point.revision >= point.revision) continue;
      if (!watched.ahead.some((known) => isSamePoint(known, point))) watched.ahead.push({ space, ...point });
    }
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
      const points: Points = new Map();
      for (const id of spaceIds) {
        const watched = this.#spaces.get(id);
        if (watched) points.set(id, watched.point);
      }
      if (points.size === 0) return;
      const page = await readPage({ points }, pageSize);
      const others = [...page.otherSpaces].filter(
        ([id, revision]) => (this.#spaces.get(id)?.point.revision ?? Infinity) < revision,
      );
      for (const [id] of others) spaceIds.add(id);
      if (others.length > 0) continue;
      // After the page: where it is so by then, it was so when the page was read.
      const ahead = [...points.keys()].flatMap((id) => this.#spaces.get(id)?.ahead ?? []);
      const lost = new Set([...page.lost, ...(await findLost(ahead))]);
      for (const id of lost) this.#beginAgain(id, page);
      if (lost.size > 0) continue;
      await this.#dispatch(page, ahead);
      more = page.more;
    }
  }

  /** What was dispatched of a space is of a history that is gone, or was pruned since: its subscribers look where they stand. */
  #beginAgain(spaceId: string, { spaces }: LogPage): void {
    const watched = this.#spaces.get(spaceId);
    if (!watched) return;
    watched.point = spaces.get(spaceId) ?? watched.point;
    watched.ahead = [];
    for (const subscriber of watched.subscribers) subscriber.readAgain();
  }

  /** @param passed places ahead that the page comes by, or is to come by */
  async #dispatch({ transactions, points, beyond }: LogPage, passed: readonly Place[]): Promise<void> {
    const receivers = transactions.map(({ ends }) => this.#subscribersOf(ends.keys()));
    const others = this.#subscribersOf(beyond.keys());
    // Who begins to watch from here on reads by itself what is dispatched below.
    for (const [id, point] of points) {
      const watched = this.#spaces.get(id);
      if (!watched) continue;
      if (watched.point.revision < point.revision) watched.point = point;
      watched.ahead = watched.ahead.filter((each) => each.revision > watched.point.revision || !passed.includes(each));
    }
    // A space whose revision rose without a task's change may have lost or won a member.
    const quiet = [...beyond.keys()].filter((id) => !transactions.some(({ ends }) => ends.has(id)));
    this.#recheck(this.#subscribersOf(quiet));
    for (const [index, transaction] of transactions.entries()) {
      await inTurns(receivers[index] ?? new Set(), (subscriber) => subscriber.push(transaction));
    }
    await inTurns(others, (subscriber) => subscriber.moveOn(beyond));
  }

  #subscribersOf(spaceIds: Iterable<string>): Set<Subscriber> {
    const subscribers = new Set<Subscriber>();
    for (const id of spaceIds) for (const each of this.#spaces.get(id)?.subscribers ?? []) subscribers.add(each);
    return subscribers;
  }
}

/** Tells subscribers of something, so many in a turn of the event loop that others have theirs. */
async function inTurns(receivers: ReadonlySet<Subscriber>, tell: (subscriber: Subscriber) => void): Promise<void> {
  let count = 0;
  for (const subscriber of receivers) {
    if (count > 0 && count % receiversPerTurn === 0) await nextTurn();
    tell(subscriber);
    count += 1;
  }
}
