import type { Viewer } from '../../kernel/context.ts';
import { forbidden, invalid, TaskgateError, unauthenticated } from '../../kernel/errors.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import { isSamePoint, type Point } from '../../kernel/point.ts';
import { stream } from '../../kernel/stream.ts';
import { readAccess } from '../../accounts/rules.ts';
import type { LogPosition } from '../log/cursor.ts';
import { positionsOfJoined } from '../log/catch-up.ts';
import type { Hub, Subscriber } from './hub.ts';
import { ChangeQueue } from './queue.ts';
import { type LogPage, readPage, requireKept, Transaction } from '../log/page.ts';
import type { Change } from '../log/merge.ts';
import { slotsOf } from '../../database/database.ts';
import { retryUntil } from '../../database/retry.ts';
import { Progress } from '../log/progress.ts';

export interface DeliveredChange extends Change {
  cursor: string;
  /** Loads the task through what all receivers of the change share. */
  tasks: Transaction['tasks'];
  /** The subscriber as they were looked up for this delivery. */
  viewer: Viewer;
}

export const defaultBounds = {
  /** Rows of transactions that wait for a consumer: as many, and one transaction more. Further ones are read from the log again. */
  queuedRows: 5000,
  /** Milliseconds after which a consumer that has fallen behind and takes nothing is given up. */
  slowConsumerMs: 5000,
  /** Milliseconds after which one that has not fallen behind but takes nothing either is taken for gone. */
  idleMs: 60_000,
  /** Milliseconds for which what was read of the session holds while older changes are delivered. */
  sessionTtlMs: 1000,
  /** Rows of a space that catching up reads at once. */
  page: 500,
};

export type StreamBounds = typeof defaultBounds;

export interface StreamOptions {
  hub: Hub;
  bounds: StreamBounds;
  retentionDays: number;
  sessionId: string;
  /** As the operation's context knows them: their points are the "now" of a subscription without cursor. */
  viewer: Viewer;
  position: LogPosition;
  /** The filter, and the space of that project; null: there is none that the viewer may see. */
  project: { id: string; spaceId: string | null } | undefined;
}

/** Pages of subscriptions that catch up: however many come back at once, the pool's other connections are left to all else. */
const pages = new FairQueue({
  name: 'change_pages',
  slots: slotsOf(4),
  slotsPerKey: 2,
  patienceMs: 30_000,
  overloadMs: 10_000,
});

export const noProject = () => invalid('projectId', 'must be the id of a project of yours');

const tooSlow = () =>
  new TaskgateError('SUBSCRIBER_TOO_SLOW', 'Changes come faster than they are taken: resume from the last cursor');

/**
 * One subscription: catches up by reading the log from its own position, then takes what the hub dispatches.
 */
export class ChangeSubscription implements Subscriber {
  readonly userId: string;
  readonly #options: StreamOptions;
  readonly #progress: Progress;
  #viewer: Viewer;
  /** When the session was last read, by the process' clock. */
  #accessReadAt = -Infinity;
  readonly #queue = new ChangeQueue();
  /** The log has something beyond the place that the queue does not. */
  #behind = false;
  #firstPage: LogPage | undefined;
  /** Since when the consumer has had a change without asking for the next one; undefined while it waits for us. */
  #busySince: number | undefined = performance.now();
  #ended: { error: TaskgateError | undefined } | undefined;
  #signal: (() => void) | undefined;

  private constructor(options: StreamOptions) {
    this.#options = options;
    this.userId = options.viewer.id;
    this.#viewer = options.viewer;
    this.#progress = new Progress(options.position);
    // The rest of that transaction lies beyond.
    this.#behind = options.position.within !== undefined;
  }

  /**
   * Begins a subscription, with the first page of what was missed.
   * @throws CURSOR_EXPIRED
   */
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
    if (this.#queue.rows >= this.#options.bounds.queuedRows) return this.#fallBehind();
    this.#queue.push(transaction);
    this.#signal?.();
  }

  advance(points: ReadonlyMap<string, Point>): void {
    if (this.#ended || this.#behind) return;
    this.#queue.advance(points);
    this.#signal?.();
  }

  catchUp(): void {
    this.#fallBehind();
  }

  async recheck(): Promise<void> {
    if (this.#ended) return;
    const { viewer, at } = await readAccess(this.#options.sessionId);
    this.#admit(viewer, at);
  }

  tick(): void {
    const stalled = this.#busySince === undefined ? 0 : performance.now() - this.#busySince;
    if (stalled > (this.#behind ? this.#options.bounds.slowConsumerMs : this.#options.bounds.idleMs))
      this.end(tooSlow());
  }

  /** Ends it at once: nothing that still waits is delivered. */
  end(error?: TaskgateError): void {
    if (this.#ended) return;
    this.#ended = { error };
    this.#queue.clear();
    this.#firstPage = undefined;
    this.#options.hub.remove(this);
    for (const id of this.#viewer.spaceIds) this.#options.hub.unwatch(this, id);
    this.#signal?.();
  }

  /** The changes, in order; to be taken once. */
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
        // A project that is gone: its deletions have been delivered by now, and there is nothing more to come.
        else if (this.#options.project?.spaceId === null) throw noProject();
        else await this.#signalled();
      }
    } catch (error) {
      // What fails once it has ended, such as a statement that was in flight, is no further reason.
      if (!this.#isOver()) throw error;
    } finally {
      this.end();
    }
  }

  async *#catchUp(): AsyncGenerator<DeliveredChange, void> {
    const page = this.#firstPage ?? (await this.#readOn());
    this.#firstPage = undefined;
    for (const transaction of this.#progress.inOrder(page.transactions)) yield* this.#deliverTransaction(transaction);
    if (this.#isOver()) return;
    this.#progress.reach(page.points);
    if (page.more) this.#fallBehind();
  }

  /** Reads the next page. What the hub dispatches from now on is queued; all that it dispatched before is in the log. */
  async #readOn(): Promise<LogPage> {
    this.#behind = false;
    this.#queue.clear();
    const { points } = this.#progress;
    return this.#retry(async () => {
      const joined = this.#viewer.spaceIds.filter((id) => !points.has(id));
      for (const [id, point] of await positionsOfJoined(this.userId, joined, this.#options.retentionDays)) {
        if (this.#viewer.points.has(id)) points.set(id, point);
      }
      const page = await pages.run(this.userId, () => readPage(this.#progress, this.#options.bounds.page));
      requireKept(page);
      this.#options.hub.noteReached(page.points);
      return page;
    });
  }

  async *#deliverTransaction(transaction: Transaction): AsyncGenerator<DeliveredChange, void> {
    while (this.#progress.openSpacesOf(transaction).length > 0) {
      await this.#refreshAccess(transaction.readAt);
      if (this.#isOver()) return;
      const change = this.#progress.step(transaction, this.#options.project?.id ?? null);
      if (!change) return;
      // An update of a task that is gone by now is left out, as its deletion follows.
      if (change.kind !== 'DELETED' && !this.#viewer.spaceIds.includes(change.presentSpace ?? '')) continue;
      yield { ...change, cursor: this.#progress.cursor, tasks: transaction.tasks, viewer: this.#viewer };
    }
  }

  /** Makes sure that the session has been read after the moment, and not long ago. */
  async #refreshAccess(after: number): Promise<void> {
    if (this.#accessReadAt > after && performance.now() - this.#accessReadAt < this.#options.bounds.sessionTtlMs)
      return;
    const { viewer, at } = await this.#retry(() => readAccess(this.#options.sessionId));
    this.#admit(viewer, at);
  }

  /** Takes over the session's current user and spaces. */
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
    if (!isSamePoint(own, present) || !(isAhead || isSamePoint(own, dispatched))) this.#fallBehind();
  }

  #fallBehind(): void {
    this.#behind = true;
    this.#queue.clear();
    this.#signal?.();
  }

  #retry<Result>(work: () => Promise<Result>): Promise<Result> {
    return retryUntil('a subscription could not go on', work, () => this.#ended !== undefined);
  }

  /** @throws what ended it */
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
