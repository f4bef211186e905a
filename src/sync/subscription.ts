import type { GraphQLResolveInfo } from 'graphql';
import { readAccess } from '../accounts/rules.ts';
import type { SubscriptionEvent } from '../graphql/subscribe.ts';
import { ResponseBudget, ResponseTooLarge, maxResponseBytes } from '../kernel/budget.ts';
import { type Context, signedIn, type Viewer } from '../kernel/context.ts';
import { unauthenticated } from '../kernel/errors.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { isSamePoint } from '../kernel/point.ts';
import { stream } from '../kernel/stream.ts';
import { slotsOf } from '../database/database.ts';
import { retryUntil } from '../database/retry.ts';
import type { BatchSize } from './batch.ts';
import { decodeCursor, type SyncPosition } from './cursor.ts';
import { type Batch, read } from './rules.ts';
import { SyncSignal } from './signal.ts';

/** A batch as an event of a subscription: the root value of its execution. */
export interface BatchEvent extends Batch, SubscriptionEvent {}

/** Reads of subscriptions that run at once: however many a change is for, the pool's other connections are left to all else. */
const reads = new FairQueue({
  name: 'sync_reads',
  slots: slotsOf(4),
  slotsPerKey: 2,
  patienceMs: 30_000,
  overloadMs: 10_000,
});

/** Most entities in a batch while a subscription catches up. */
const maxEntities = 500;
/**
 * Bytes that a batch takes while a subscription catches up, of the database's, where it has more than one entity. It is held until
 * the consumer has taken it, and an account may have many that take nothing.
 */
const batchBytes = 2 * 1024 * 1024;
/** By how much batches get smaller after one that was too large, and larger again after each that was not. */
const step = 10;

/**
 * Subscribes to all that a replica is to hold: first what it lacks, then what changes.
 * @param after the replica's cursor; without one it begins with a first load
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED, GOING_AWAY; VALIDATION_FAILED where one entity as it is selected is larger than an answer
 *   may be. While it runs it ends with any of these
 */
export async function subscribeToSync(
  context: Context,
  info: GraphQLResolveInfo,
  after: string | null | undefined,
): Promise<AsyncGenerator<BatchEvent, void>> {
  const viewer = signedIn(context);
  const { id: sessionId } = context.session;
  if (sessionId === undefined) throw unauthenticated();
  const position = after == null ? undefined : decodeCursor(viewer.id, after);
  const subscription = new SyncSubscription(context, info, { userId: viewer.id, sessionId, position });
  try {
    await subscription.open(viewer);
  } catch (error) {
    subscription.end();
    throw error;
  }
  const next = async (): Promise<IteratorResult<BatchEvent, void>> => {
    const value = await subscription.next();
    return value ? { done: false, value } : { done: true, value: undefined };
  };
  return stream(next, () => Promise.resolve(subscription.end()));
}

/** The replica's user, session and position. */
interface ReplicaState {
  userId: string;
  sessionId: string;
  position: SyncPosition | undefined;
}

/** Reads when its consumer requests the next batch, and there may be one. */
class SyncSubscription {
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  readonly #userId: string;
  readonly #sessionId: string;
  readonly #signal: SyncSignal;
  #position: SyncPosition | undefined;
  /** Entities of the next batch while it catches up: as many as had room in the last one. */
  #entities = maxEntities;
  /** Whether the replica showed one moment of the database: what changes from then on comes in whole transactions. */
  #isLive = false;
  /** Whether the last batch said that more lies ready: the consumer has still to learn that its replica shows one moment. */
  #isBehind: boolean;
  /** Read before the consumer requested it. */
  #first: BatchEvent | undefined;
  /** Of the last batch: released when the consumer, done with it, requests the next one. */
  #budget: ResponseBudget | undefined;

  constructor(context: Context, info: GraphQLResolveInfo, { userId, sessionId, position }: ReplicaState) {
    this.#context = context;
    this.#info = info;
    this.#userId = userId;
    this.#sessionId = sessionId;
    this.#position = position;
    this.#isBehind = position?.isConsistent === false;
    this.#signal = new SyncSignal(userId);
    context.services.changes.attach(this.#signal);
  }

  /** Reads the first batch: what is refused is refused before anything is sent. */
  async open(viewer: Viewer): Promise<void> {
    this.#first = await this.#readNext(viewer);
  }

  /** @returns the next batch that has anything, once there is one; undefined at the end @throws what ended it */
  async next(): Promise<BatchEvent | undefined> {
    const first = this.#first;
    this.#first = undefined;
    if (first && this.#isNews(first)) return first;
    this.#budget?.release();
    while (await this.#signal.next()) {
      const viewer = await this.#readViewer();
      this.#signal.follow(viewer.spaceIds);
      if (this.#isLive && this.#position && isReached(this.#position, viewer)) continue;
      const batch = await this.#readNext(viewer);
      if (batch.hasMore) this.#signal.notify();
      if (this.#isNews(batch)) return batch;
    }
    return undefined;
  }

  /** Whether the consumer is to have a batch: also one with nothing in it, where that ends what it catches up with. */
  #isNews(batch: BatchEvent): boolean {
    const isNews = this.#isBehind !== batch.hasMore || !isEmpty(batch);
    this.#isBehind = batch.hasMore;
    return isNews;
  }

  end(): void {
    this.#context.services.changes.detach(this.#signal);
    this.#signal.end();
    this.#budget?.release();
  }

  /** @throws UNAUTHENTICATED where the session has ended */
  async #readViewer(): Promise<Viewer> {
    const { viewer } = await this.#retry('a session could not be read', () => readAccess(this.#sessionId));
    if (viewer?.id !== this.#userId) throw unauthenticated();
    return viewer;
  }

  #readNext(viewer: Viewer): Promise<BatchEvent> {
    return this.#retry('a replica could not be brought on', () =>
      reads.run(this.#userId, () => this.#readBatch(viewer)),
    );
  }

  #retry<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
    return retryUntil(what, work, () => this.#signal.isOver);
  }

  async #readBatch(viewer: Viewer): Promise<BatchEvent> {
    if (this.#isLive) {
      const batch = await this.#readSized(viewer, { entities: maxEntities, isWhole: true }, maxResponseBytes);
      if (batch) return batch;
    }
    for (;;) {
      const entities = this.#entities;
      const batch = await this.#readSized(viewer, { entities }, entities > 1 ? batchBytes : maxResponseBytes);
      this.#entities = batch ? Math.min(entities * step, maxEntities) : Math.max(Math.floor(entities / step), 1);
      if (batch) return batch;
    }
  }

  /** @returns undefined where it was too large @throws ResponseTooLarge where that is one entity */
  async #readSized(viewer: Viewer, size: BatchSize, maxBytes: number): Promise<BatchEvent | undefined> {
    const context = { ...this.#context, viewer, whenSent: undefined };
    this.#budget?.release();
    this.#budget = new ResponseBudget(maxBytes, undefined, { ownBytes: batchBytes, owner: viewer.id, isPatient: true });
    try {
      const batch = await read(context, this.#info, this.#position, size, this.#budget);
      this.#isLive = !batch.hasMore;
      this.#position = batch.position;
      return { ...batch, context };
    } catch (error) {
      this.#budget.release();
      if (!(error instanceof ResponseTooLarge) || size.entities === 1) throw error;
      return undefined;
    }
  }
}

/** Whether nothing has changed beyond a position, by what was read of the viewer. */
function isReached(position: SyncPosition, { points, relatedRevision }: Viewer): boolean {
  const related = [...position.spaces.values()].reduce((sum, space) => sum + space.related, 0);
  return (
    points.size === position.spaces.size &&
    related === Number(relatedRevision) &&
    [...points].every(([id, point]) => isSamePoint(position.spaces.get(id), point))
  );
}

const isEmpty = ({ full, user, entities, deleted, mutations }: Batch) =>
  !full && user === null && [deleted, mutations, ...Object.values(entities)].every(({ length }) => length === 0);
