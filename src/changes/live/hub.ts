import { getOrMake } from '../../kernel/group.ts';
import type { Point } from '../../kernel/point.ts';
import { nextTurn } from '../../kernel/turns.ts';
import { backoffMs } from '../../kernel/backoff.ts';
import { failsForAll, logFailure } from '../../database/unavailable-log.ts';
import { wait } from '../../database/retry.ts';
import type { Place, Points } from '../log/cursor.ts';
import { findLost } from '../log/data.ts';
import { type LogPage, readPage, type Transaction } from '../log/page.ts';
import { mostSpaces, WatchedSpace } from './watched-space.ts';

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
  /** Takes that spaces have advanced to these points, with nothing of tasks beyond what it was given. */
  advance(points: ReadonlyMap<string, Point>): void;
  /** It cannot take what is dispatched: reads the log from its own position, if that is kept. */
  catchUp(): void;
}

/** Spaces that are read, one page after the other. */
interface Lane {
  readonly due: Set<string>;
  reading?: Promise<void> | undefined;
}

/** Changes to read at once. */
const pageSize = 1000;
/** Milliseconds between two reads: what changes meanwhile is read together. */
const coalesceMs = 10;
/** Subscriptions that are handed a transaction in one turn of the event loop. */
const receiversPerTurn = 250;

/**
 * Reads the log of the watched spaces once for the process and dispatches new transactions to the subscribers.
 * Notifications make it read; without any, it polls now and then. Spaces whose read has failed are read separately.
 */
export class Hub {
  readonly #spaces = new Map<string, WatchedSpace>();
  readonly #users = new Map<string, Set<Watcher>>();
  readonly #healthy: Lane = { due: new Set() };
  readonly #failing: Lane = { due: new Set() };
  readonly #statementMs: number;
  #dispatching = Promise.resolve();
  #closed = false;

  /** @param options.statementMs milliseconds after which a read has failed */
  constructor({ statementMs = 5000 } = {}) {
    this.#statementMs = statementMs;
  }

  /** From now on it is notified when sessions or memberships of its user may have changed. */
  add(watcher: Watcher): void {
    getOrMake(this.#users, watcher.userId, () => new Set()).add(watcher);
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
    const watched = known ?? new WatchedSpace(point);
    watched.subscribers.add(subscriber);
    this.#spaces.set(spaceId, watched);
    // Nobody was notified of what changed since that snapshot.
    if (!known) this.spacesChanged([spaceId]);
    this.noteReached(new Map([[spaceId, point]]));
    return watched.point;
  }

  /** A subscriber has read the log of spaces up to these points by itself, and leaves out what it is given of that. */
  noteReached(points: ReadonlyMap<string, Point>): void {
    for (const [space, point] of points) this.#spaces.get(space)?.noteAhead({ space, ...point });
  }

  unwatch(subscriber: Subscriber, spaceId: string): void {
    const watched = this.#spaces.get(spaceId);
    watched?.subscribers.delete(subscriber);
    if (watched?.subscribers.size === 0) this.#spaces.delete(spaceId);
  }

  /** Spaces may have changed: reads the log of those that are watched. */
  spacesChanged(spaceIds: Iterable<string>): void {
    const now = performance.now();
    for (const id of spaceIds) {
      const watched = this.#spaces.get(id);
      if (!watched) continue;
      watched.behindSince ??= now;
      if (!watched.isFailing) this.#healthy.due.add(id);
      else if (watched.isReadable) this.#failing.due.add(id);
    }
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
   * Seconds for which subscribers of any space have been waiting for changes that the process was notified of, or polls for: none
   * where the log has been read to its end, and more and more where it cannot be read.
   */
  get lagSeconds(): number {
    const now = performance.now();
    let since = now;
    for (const { behindSince = now } of this.#spaces.values()) since = Math.min(since, behindSince);
    return (now - since) / 1000;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#healthy.reading, this.#failing.reading]);
  }

  #recheck(watchers: Iterable<Watcher>): void {
    Promise.all([...watchers].map((watcher) => watcher.recheck())).catch((error: unknown) =>
      logFailure(error, 'sessions could not be read again'),
    );
  }

  #startReading(): void {
    for (const lane of [this.#healthy, this.#failing]) {
      if (lane.due.size === 0) continue;
      lane.reading ??= this.#readDue(lane)
        .catch((error: unknown) => logFailure(error, 'the change log was not read'))
        .finally(() => (lane.reading = undefined));
    }
  }

  async #readDue(lane: Lane): Promise<void> {
    // Spaces that are named in succession are read together.
    await Promise.resolve();
    for (let attempt = 0; lane.due.size > 0 && !this.#closed;) {
      const spaceIds = this.#takePage(lane.due);
      try {
        await this.#read(spaceIds, lane);
        attempt = 0;
        this.#startReading();
        if (lane.due.size < mostSpaces) await wait(coalesceMs);
      } catch (error) {
        logFailure(error, 'the change log could not be read: it will be tried again', { spaces: [...spaceIds] });
        if (failsForAll(error)) {
          for (const id of spaceIds) lane.due.add(id);
          await wait(backoffMs(attempt++));
        } else this.#setApart(spaceIds);
      }
    }
  }

  /** Takes as many spaces as may be read together. */
  #takePage(due: Set<string>): Set<string> {
    const page = new Set<string>();
    let size = Infinity;
    for (const id of due) {
      size = Math.min(size, this.#spaces.get(id)?.pageSize ?? size);
      if (page.size > 0 && page.size >= size) break;
      page.add(id);
      due.delete(id);
    }
    return page;
  }

  /** From now on the spaces are read apart from all others, fewer at once; the one that fails alone has to wait. */
  #setApart(spaceIds: ReadonlySet<string>): void {
    for (const id of spaceIds) {
      const watched = this.#spaces.get(id);
      watched?.noteFailure(spaceIds.size);
      if (watched?.isReadable) this.#failing.due.add(id);
    }
    this.#startReading();
  }

  /**
   * Reads a page of what is new in the spaces, and in others that the same transactions wrote to: no subscriber is given one in part.
   * Spaces that fail are not read with others for that: who watches both catches up by itself.
   */
  async #read(spaceIds: Set<string>, lane: Lane): Promise<void> {
    const startedAt = performance.now();
    const reader = { statementMs: this.#statementMs };
    for (;;) {
      const points: Points = new Map();
      for (const id of spaceIds) {
        const watched = this.#spaces.get(id);
        if (watched) points.set(id, watched.point);
      }
      if (points.size === 0) return;
      const page = await readPage({ points }, pageSize, reader);
      const others = [...page.otherSpaces].filter(([id, revision]) => this.#isBehind(id, revision)).map(([id]) => id);
      const added = lane === this.#healthy ? others.filter((id) => !this.#spaces.get(id)?.isFailing) : [];
      for (const id of added) spaceIds.add(id);
      if (added.length > 0) continue;
      // After the page: where it is so by then, it was so when the page was read.
      const aheadPositions = [...points.keys()].flatMap((id) => this.#spaces.get(id)?.aheadPositions ?? []);
      const lost = new Set([...page.lost, ...(await findLost(aheadPositions, reader))]);
      for (const id of lost) this.#beginAgain(id, page);
      if (lost.size > 0) continue;
      const apart = this.#subscribersOf(others);
      for (const subscriber of this.#subscribersOf(points.keys())) if (apart.has(subscriber)) subscriber.catchUp();
      await this.#dispatchNext(page, aheadPositions);
      return this.#noteRead(points.keys(), page, startedAt);
    }
  }

  #isBehind(spaceId: string, revision: number): boolean {
    return (this.#spaces.get(spaceId)?.point.revision ?? Infinity) < revision;
  }

  /** What was not read to its end is read on after all others that are due. */
  #noteRead(spaceIds: Iterable<string>, { points, spaces }: LogPage, startedAt: number): void {
    const { due } = this.#healthy;
    for (const id of spaceIds) {
      const watched = this.#spaces.get(id);
      if (!watched) continue;
      // It did not become due by what it was notified of meanwhile.
      if (watched.isFailing) due.add(id);
      watched.noteSuccess();
      if ((points.get(id)?.revision ?? 0) < (spaces.get(id)?.revision ?? 0)) due.add(id);
      // What has become due since the read began has waited since then at most.
      else watched.behindSince = due.has(id) ? startedAt : undefined;
    }
  }

  /** What was dispatched of a space belongs to a history that is gone, or was pruned since: its subscribers check their positions. */
  #beginAgain(spaceId: string, { spaces }: LogPage): void {
    const watched = this.#spaces.get(spaceId);
    if (!watched) return;
    watched.point = spaces.get(spaceId) ?? watched.point;
    watched.aheadPositions = [];
    for (const subscriber of watched.subscribers) subscriber.catchUp();
  }

  /** Dispatches pages of both lanes one after another: a space may have changed lanes meanwhile. */
  async #dispatchNext(page: LogPage, passed: readonly Place[]): Promise<void> {
    const dispatched = this.#dispatching.then(() => this.#dispatch(page, passed));
    this.#dispatching = dispatched.catch(() => undefined);
    await dispatched;
  }

  /** @param passed ahead positions that the page comes by, or is to come by */
  async #dispatch({ transactions, points, beyond }: LogPage, passed: readonly Place[]): Promise<void> {
    const receivers = transactions.map(({ ends }) => this.#subscribersOf(ends.keys()));
    const others = this.#subscribersOf(beyond.keys());
    // Who begins to watch from here on reads by itself what is dispatched below.
    for (const [id, point] of points) this.#spaces.get(id)?.advance(point, passed);
    // A space whose revision rose without a task's change may have lost or won a member.
    const quiet = [...beyond.keys()].filter((id) => !transactions.some(({ ends }) => ends.has(id)));
    this.#recheck(this.#subscribersOf(quiet));
    for (const [index, transaction] of transactions.entries()) {
      await inTurns(receivers[index] ?? new Set(), (subscriber) => subscriber.push(transaction));
    }
    await inTurns(others, (subscriber) => subscriber.advance(beyond));
  }

  #subscribersOf(spaceIds: Iterable<string>): Set<Subscriber> {
    const subscribers = new Set<Subscriber>();
    for (const id of spaceIds) for (const each of this.#spaces.get(id)?.subscribers ?? []) subscribers.add(each);
    return subscribers;
  }
}

/** Notifies subscribers, only so many per turn of the event loop that other work gets its turn. */
async function inTurns(receivers: ReadonlySet<Subscriber>, tell: (subscriber: Subscriber) => void): Promise<void> {
  let count = 0;
  for (const subscriber of receivers) {
    if (count > 0 && count % receiversPerTurn === 0) await nextTurn('hub');
    tell(subscriber);
    count += 1;
  }
}
