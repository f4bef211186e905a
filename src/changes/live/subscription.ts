import { invalid, stream, type TaskgateError, unauthenticated } from '@taskgate/base';
import { isSamePoint, type Point, retryUntil } from '@taskgate/postgres';
import type { FairQueue } from '@taskgate/work';
import type { Viewer } from '../../platform/context.ts';
import { forbidden, refusal } from '../../platform/errors.ts';
import type { LogPosition } from '../log/cursor.ts';
import { positionsOfJoined } from '../log/catch-up.ts';
import type { Hub } from './hub.ts';
import type { ReadAccess, Subscriber } from './subscriber.ts';
import { ChangeQueue } from './queue.ts';
import { type LogPage, readPage, requireKept, Transaction } from '../log/page.ts';
import type { Change } from '../log/merge.ts';
import type { Connections } from '../../platform/database.ts';
import { Progress } from '../log/progress.ts';

export interface DeliveredChange extends Change {
  cursor: string;
  /** Shared by all receivers. */
  tasks: Transaction['tasks'];
  /** The viewer as read for this delivery. */
  viewer: Viewer;
}

export const defaultBounds = {
  /** Rows that wait for a consumer, plus one transaction. Others stay in the log. */
  queuedRows: 5000,
  /** Time for a consumer that is behind and requests nothing. */
  slowConsumerMs: 5000,
  /** Time for other consumers that request nothing. */
  idleMs: 60_000,
  /** Validity of a session read during catch-up. */
  sessionTtlMs: 1000,
  page: 500,
};

export type StreamBounds = typeof defaultBounds;

export interface StreamOptions {
  connections: Connections;
  readAccess: ReadAccess;
  hub: Hub;
  pages: FairQueue;
  bounds: StreamBounds;
  retentionDays: number;
  sessionId: string;
  /** Without a cursor, the subscription starts at the viewer's points. */
  viewer: Viewer;
  position: LogPosition;
  /** Filter. `spaceId` is null if the viewer cannot see the project. */
  project: { id: string; spaceId: string | null } | undefined;
}

/** Leaves connections to other work, however many subscribers return at once. */
export const pagePolicy = {
  name: 'change_pages',
  slots: 4,
  slotsPerKey: 2,
  patienceMs: 30_000,
  overloadMs: 10_000,
} as const;

export const noProject = () => invalid('projectId', 'must be the id of a project of yours');

const tooSlow = () =>
  refusal('SUBSCRIBER_TOO_SLOW', 'Changes arrive faster than they are read: resume from the last cursor');

export class ChangeSubscription implements Subscriber {
  readonly userId: string;
  readonly #options: StreamOptions;
  readonly #progress: Progress;
  #viewer: Viewer;
  /** By `performance.now()`. */
  #accessReadAt = -Infinity;
  readonly #queue = new ChangeQueue();
  /** Whether the log has changes that the queue lacks. */
  #behind = false;
  #firstPage: LogPage | undefined;
  /** Since when the consumer has requested nothing. */
  #busySince: number | undefined = performance.now();
  #ended: { error: TaskgateError | undefined } | undefined;
  #signal: (() => void) | undefined;

  private constructor(options: StreamOptions) {
    this.#options = options;
    this.userId = options.viewer.id;
    this.#viewer = options.viewer;
    this.#progress = new Progress(options.position);
    // The rest of that transaction is unread.
    this.#behind = options.position.within !== undefined;
  }

  /** Reads the first page too. @throws CURSOR_EXPIRED */
  static async open(options: StreamOptions): Promise<ChangeSubscription> {
    const opened = new ChangeSubscription(options);
    options.hub.add(opened);
    for (const [id, present] of options.viewer.points) opened.#watch(id, present);
    try {
      if (opened.#behind) opened.#firstPage = await opened.#readOn();
    } catch (error) {
      opened.end();
      throw error;
    }
    return opened;
  }

  push(transaction: Transaction): void {
    if (this.#ended || this.#behind) return;
    if (this.#queue.rows >= this.#options.bounds.queuedRows) return this.fallBehind();
    this.#queue.push(transaction);
    this.#signal?.();
  }

  advance(points: ReadonlyMap<string, Point>): void {
    if (this.#ended || this.#behind) return;
    this.#queue.advance(points);
    this.#signal?.();
  }

  fallBehind(): void {
    this.#behind = true;
    this.#queue.clear();
    this.#signal?.();
  }

  async recheck(): Promise<void> {
    if (this.#ended) return;
    const { viewer, at } = await this.#options.readAccess(this.#options.sessionId);
    this.#admit(viewer, at);
  }

  tick(): void {
    const stalled = this.#busySince === undefined ? 0 : performance.now() - this.#busySince;
    if (stalled > (this.#behind ? this.#options.bounds.slowConsumerMs : this.#options.bounds.idleMs))
      this.end(tooSlow());
  }

  end(error?: TaskgateError): void {
    if (this.#ended) return;
    this.#ended = { error };
    this.#queue.clear();
    this.#firstPage = undefined;
    this.#options.hub.remove(this);
    for (const id of this.#viewer.spaceIds) this.#options.hub.unwatch(this, id);
    this.#signal?.();
  }

  /** Call once. */
  deliveries(): AsyncGenerator<DeliveredChange, void> {
    const changes = this.#deliver();
    const next = async () => {
      this.#busySince = undefined;
      const change = await changes.next();
      this.#busySince = performance.now();
      return change;
    };
    const stop = () => {
      this.end();
      return changes.return();
    };
    return stream(next, stop);
  }

  async *#deliver(): AsyncGenerator<DeliveredChange, void> {
    try {
      while (!this.#isOver()) {
        if (this.#behind || this.#firstPage) {
          yield* this.#catchUp();
          continue;
        }
        const next = this.#queue.shift();
        if (next instanceof Transaction) yield* this.#deliverTransaction(next);
        else if (next) this.#progress.reach(next);
        // Its deletions have been delivered.
        else if (this.#options.project?.spaceId === null) throw noProject();
        else await this.#signalled();
      }
    } catch (error) {
      if (!this.#isOver()) throw error;
    } finally {
      this.end();
    }
  }

  async *#catchUp(): AsyncGenerator<DeliveredChange, void> {
    const page = this.#firstPage ?? (await this.#readOn());
    this.#firstPage = undefined;
    for (const transaction of this.#progress.interruptedFirst(page.transactions))
      yield* this.#deliverTransaction(transaction);
    if (this.#isOver()) return;
    this.#progress.reach(page.points);
    if (page.more) this.fallBehind();
  }

  /** Later transactions of the hub are queued; earlier ones are in the log. */
  async #readOn(): Promise<LogPage> {
    this.#behind = false;
    this.#queue.clear();
    const { points } = this.#progress;
    const { connections, hub, pages, bounds, retentionDays } = this.#options;
    return this.#retry(async () => {
      const joined = this.#viewer.spaceIds.filter((id) => !points.has(id));
      for (const [id, point] of await positionsOfJoined(connections, this.userId, joined, retentionDays)) {
        if (this.#viewer.points.has(id)) points.set(id, point);
      }
      const page = await pages.run(this.userId, () => readPage({ connections }, this.#progress, bounds.page));
      requireKept(page);
      hub.noteReached(page.points);
      return page;
    });
  }

  async *#deliverTransaction(transaction: Transaction): AsyncGenerator<DeliveredChange, void> {
    while (this.#progress.openSpacesOf(transaction).length > 0) {
      await this.#refreshAccess(transaction.readAt);
      if (this.#isOver()) return;
      const change = this.#progress.nextChange(transaction, this.#options.project?.id ?? null);
      if (!change) return;
      // Its deletion follows.
      if (change.kind !== 'DELETED' && !this.#viewer.spaceIds.includes(change.presentSpace ?? '')) continue;
      yield { ...change, cursor: this.#progress.cursor, tasks: transaction.tasks, viewer: this.#viewer };
    }
  }

  /** Ensures a recent session read after the given time. */
  async #refreshAccess(after: number): Promise<void> {
    if (this.#accessReadAt > after && performance.now() - this.#accessReadAt < this.#options.bounds.sessionTtlMs)
      return;
    const { viewer, at } = await this.#retry(() => this.#options.readAccess(this.#options.sessionId));
    this.#admit(viewer, at);
  }

  #admit(viewer: Viewer | null, at: number): void {
    if (this.#ended || at < this.#accessReadAt) return;
    if (viewer?.id !== this.userId) return this.end(unauthenticated());
    const { points: before } = this.#viewer;
    this.#accessReadAt = at;
    const left = [...before.keys()].filter((id) => !viewer.points.has(id));
    for (const id of left) {
      this.#progress.points.delete(id);
      this.#options.hub.unwatch(this, id);
    }
    this.#viewer = viewer;
    if (left.includes(this.#options.project?.spaceId ?? '')) {
      return this.end(forbidden('You are no longer a member of the workspace'));
    }
    for (const [id, present] of viewer.points) if (!before.has(id)) this.#watch(id, present);
  }

  #watch(spaceId: string, present: Point): void {
    const dispatched = this.#options.hub.watch(this, spaceId, present);
    const own = this.#progress.points.get(spaceId);
    const isAhead = own !== undefined && own.revision > dispatched.revision;
    if (!isSamePoint(own, present) || !(isAhead || isSamePoint(own, dispatched))) this.fallBehind();
  }

  #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryUntil('a subscription could not continue', work, () => this.#ended !== undefined);
  }

  /** @throws the reason of the end */
  #isOver(): boolean {
    if (this.#ended?.error) throw this.#ended.error;
    return this.#ended !== undefined;
  }

  async #signalled(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#signal = resolve;
    });
    this.#signal = undefined;
  }
}
