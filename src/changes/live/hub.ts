import { backoffMs, getOrMake } from '@taskgate/base';
import { failsForAll, logFailure, type Point, wait } from '@taskgate/postgres';
import type { Connections } from '../../platform/database.ts';
import type { SpacePoint, Points } from '../log/cursor.ts';
import { findLost } from '../log/data.ts';
import { type LogPage, readPage } from '../log/page.ts';
import type { Subscriber, Watcher } from './subscriber.ts';
import { mostSpaces, WatchedSpace } from './watched-space.ts';

interface Lane {
  readonly due: Set<string>;
  reading?: Promise<void> | undefined;
}

const pageSize = 1000;
const coalesceMs = 10;
const receiversPerTurn = 250;

/**
 * Reads the log of watched spaces once for the process, on notifications and polls. Failing spaces are read separately.
 */
export class Hub {
  readonly #spaces = new Map<string, WatchedSpace>();
  readonly #users = new Map<string, Set<Watcher>>();
  readonly #healthy: Lane = { due: new Set() };
  readonly #failing: Lane = { due: new Set() };
  readonly #connections: Connections;
  readonly #statementMs: number;
  #dispatching = Promise.resolve();
  #closed = false;

  /** @param options.statementMs timeout of a read */
  constructor(connections: Connections, { statementMs = 5000 } = {}) {
    this.#connections = connections;
    this.#statementMs = statementMs;
  }

  add(watcher: Watcher): void {
    getOrMake(this.#users, watcher.userId, () => new Set()).add(watcher);
  }

  remove(watcher: Watcher): void {
    const own = this.#users.get(watcher.userId);
    own?.delete(watcher);
    if (own?.size === 0) this.#users.delete(watcher.userId);
  }

  /**
   * Dispatches a space's next transactions.
   * @param point any past point, the start if nobody else watches
   * @returns the point of the last dispatch
   */
  watch(subscriber: Subscriber, spaceId: string, point: Point): Point {
    const existing = this.#spaces.get(spaceId);
    const watched = existing ?? new WatchedSpace(point);
    watched.subscribers.add(subscriber);
    this.#spaces.set(spaceId, watched);
    // The space may have changed since.
    if (!existing) this.spacesChanged([spaceId]);
    this.noteReached(new Map([[spaceId, point]]));
    return watched.point;
  }

  /** Notes points that a subscriber has read. */
  noteReached(points: ReadonlyMap<string, Point>): void {
    for (const [space, point] of points) this.#spaces.get(space)?.noteAhead({ space, ...point });
  }

  unwatch(subscriber: Subscriber, spaceId: string): void {
    const watched = this.#spaces.get(spaceId);
    watched?.subscribers.delete(subscriber);
    if (watched?.subscribers.size === 0) this.#spaces.delete(spaceId);
  }

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

  usersChanged(userIds: Iterable<string>): void {
    for (const id of userIds) this.#recheck(this.#users.get(id) ?? []);
  }

  /** Covers lost notifications, foreign writers and expired sessions. */
  pollAll(): void {
    this.spacesChanged(this.#spaces.keys());
    const watchers = [...this.#users.values()].flatMap((own) => [...own]);
    for (const watcher of watchers) watcher.tick?.();
    this.#recheck(watchers);
  }

  /** Age of the oldest unread change. */
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
    // Combines spaces of the same turn.
    await Promise.resolve();
    for (let attempt = 0; lane.due.size > 0 && !this.#closed;) {
      const spaceIds = this.#takePage(lane.due);
      try {
        await this.#read(spaceIds, lane);
        attempt = 0;
        this.#startReading();
        if (lane.due.size < mostSpaces) await wait(coalesceMs);
      } catch (error) {
        logFailure(error, 'the change log could not be read and will be retried', { spaces: [...spaceIds] });
        if (failsForAll(error)) {
          for (const id of spaceIds) lane.due.add(id);
          await wait(backoffMs(attempt++));
        } else this.#moveToFailing(spaceIds);
      }
    }
  }

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

  /** Failing spaces get smaller pages. A space that fails alone waits. */
  #moveToFailing(spaceIds: ReadonlySet<string>): void {
    for (const id of spaceIds) {
      const watched = this.#spaces.get(id);
      watched?.noteFailure(spaceIds.size);
      if (watched?.isReadable) this.#failing.due.add(id);
    }
    this.#startReading();
  }

  /**
   * Reads spaces, and others of the same transactions. Failing spaces are not added: subscribers to both catch up
   * themselves.
   */
  async #read(spaceIds: Set<string>, lane: Lane): Promise<void> {
    const startedAt = performance.now();
    const reader = { connections: this.#connections, statementMs: this.#statementMs };
    for (;;) {
      const points: Points = new Map();
      for (const id of spaceIds) {
        const watched = this.#spaces.get(id);
        if (watched) points.set(id, watched.point);
      }
      if (points.size === 0) return;
      const page = await readPage(reader, { points }, pageSize, { inTurns: true });
      const others = [...page.otherSpaces].filter(([id, revision]) => this.#isBehind(id, revision)).map(([id]) => id);
      const added = lane === this.#healthy ? others.filter((id) => !this.#spaces.get(id)?.isFailing) : [];
      for (const id of added) spaceIds.add(id);
      if (added.length > 0) continue;
      // After the page, so it also holds for the page.
      const aheadPositions = [...points.keys()].flatMap((id) => this.#spaces.get(id)?.aheadPositions ?? []);
      const lost = new Set([...page.lost, ...(await findLost(reader, aheadPositions))]);
      for (const id of lost) this.#restart(id, page);
      if (lost.size > 0) continue;
      const apart = this.#subscribersOf(others);
      for (const subscriber of this.#subscribersOf(points.keys())) if (apart.has(subscriber)) subscriber.fallBehind();
      await this.#dispatchNext(page, aheadPositions);
      return this.#noteRead(points.keys(), page, startedAt);
    }
  }

  #isBehind(spaceId: string, revision: number): boolean {
    return (this.#spaces.get(spaceId)?.point.revision ?? Infinity) < revision;
  }

  /** Unfinished spaces queue behind the other due ones. */
  #noteRead(spaceIds: Iterable<string>, { points, spaces }: LogPage, startedAt: number): void {
    const { due } = this.#healthy;
    for (const id of spaceIds) {
      const watched = this.#spaces.get(id);
      if (!watched) continue;
      // Notifications did not make it due while it failed.
      if (watched.isFailing) due.add(id);
      watched.noteSuccess();
      if ((points.get(id)?.revision ?? 0) < (spaces.get(id)?.revision ?? 0)) due.add(id);
      // Its changes are at most as old as the read.
      else watched.behindSince = due.has(id) ? startedAt : undefined;
    }
  }

  /** The dispatched history was pruned or replaced. */
  #restart(spaceId: string, { spaces }: LogPage): void {
    const watched = this.#spaces.get(spaceId);
    if (!watched) return;
    watched.point = spaces.get(spaceId) ?? watched.point;
    watched.aheadPositions = [];
    for (const subscriber of watched.subscribers) subscriber.fallBehind();
  }

  /** Dispatches one page after another, because spaces change lanes. */
  async #dispatchNext(page: LogPage, passed: readonly SpacePoint[]): Promise<void> {
    const dispatched = this.#dispatching.then(() => this.#dispatch(page, passed));
    this.#dispatching = dispatched.catch(() => undefined);
    await dispatched;
  }

  /** @param passed ahead positions in the page or after it */
  async #dispatch({ transactions, points, beyond }: LogPage, passed: readonly SpacePoint[]): Promise<void> {
    const receivers = transactions.map(({ ends }) => this.#subscribersOf(ends.keys()));
    const others = this.#subscribersOf(beyond.keys());
    // Later subscribers read these themselves.
    for (const [id, point] of points) this.#spaces.get(id)?.advance(point, passed);
    // A revision without task changes may mean a new or lost member.
    const withoutTasks = [...beyond.keys()].filter((id) => !transactions.some(({ ends }) => ends.has(id)));
    this.#recheck(this.#subscribersOf(withoutTasks));
    for (const [index, transaction] of transactions.entries()) {
      await this.#inTurns(receivers[index] ?? new Set(), (subscriber) => subscriber.push(transaction));
    }
    await this.#inTurns(others, (subscriber) => subscriber.advance(beyond));
  }

  #subscribersOf(spaceIds: Iterable<string>): Set<Subscriber> {
    const subscribers = new Set<Subscriber>();
    for (const id of spaceIds) for (const each of this.#spaces.get(id)?.subscribers ?? []) subscribers.add(each);
    return subscribers;
  }

  async #inTurns(receivers: ReadonlySet<Subscriber>, notify: (subscriber: Subscriber) => void): Promise<void> {
    const { turns } = this.#connections;
    let count = 0;
    for (const subscriber of receivers) {
      if (count > 0 && count % receiversPerTurn === 0) await turns.next('hub');
      notify(subscriber);
      count += 1;
    }
  }
}
