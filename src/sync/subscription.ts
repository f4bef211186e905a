import type { GraphQLResolveInfo } from 'graphql';
import { stream, unauthenticated } from '@taskgate/base';
import type { SubscriptionEvent } from '@taskgate/execution';
import { isSamePoint, type ReadBudget, retryUntil } from '@taskgate/postgres';
import { FairQueue, maxResponseBytes, ResponseBudget, ResponseTooLarge } from '@taskgate/work';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import type { Connections } from '../platform/database.ts';
import type { BatchSize } from './batch.ts';
import { decodeCursor, type SyncPosition } from './cursor.ts';
import { type Batch, read } from './rules.ts';
import { SyncSignal } from './signal.ts';

interface BatchEvent extends Batch, SubscriptionEvent<Context> {}

declare module '../platform/services.ts' {
  interface Services {
    syncReads: FairQueue;
  }
}

/** Leaves connections to other work, however many replicas a change affects. */
const readPolicy = {
  name: 'sync_reads',
  slots: 4,
  slotsPerKey: 2,
  patienceMs: 30_000,
  overloadMs: 10_000,
} as const;

export const syncTurns = (connections: Connections) =>
  new FairQueue({ ...readPolicy, slots: connections.slotsOf(readPolicy.slots) });

/** Entities of a batch during catch-up. */
const maxEntities = 500;
/** Bytes of a batch of several entities. It is held until it is taken, and an account may have many idle consumers. */
const batchBytes = 2 * 1024 * 1024;
/** Factor between batch sizes, after a failure and after a success. */
const step = 10;

/**
 * Subscribes to a replica's missing data, then to changes.
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED, GOING_AWAY; VALIDATION_FAILED if one entity exceeds the response limit. The
 * subscription may end with any of these
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

interface ReplicaState {
  userId: string;
  sessionId: string;
  position: SyncPosition | undefined;
}

/** Reads if the consumer asks and there may be changes. */
class SyncSubscription {
  readonly #context: Context;
  readonly #info: GraphQLResolveInfo;
  readonly #userId: string;
  readonly #sessionId: string;
  readonly #signal: SyncSignal;
  #position: SyncPosition | undefined;
  #entities = maxEntities;
  /** Whether the replica has shown one moment. Changes then arrive as whole transactions. */
  #isLive = false;
  #isBehind: boolean;
  #first: BatchEvent | undefined;
  /** Released when the consumer requests the next batch. */
  #budget: ReadBudget | undefined;

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

  /** Reports errors before the stream starts. */
  async open(viewer: Viewer): Promise<void> {
    this.#first = await this.#readNext(viewer);
  }

  /** Returns the next batch with content. @throws the reason of the end */
  async next(): Promise<BatchEvent | undefined> {
    const first = this.#first;
    this.#first = undefined;
    if (first && this.#isNews(first)) return first;
    this.#budget?.release();
    while (await this.#signal.next()) {
      const viewer = await this.#readViewer();
      this.#signal.follow([...viewer.spaceIds, viewer.id]);
      if (this.#isLive && this.#position && isReached(this.#position, viewer)) continue;
      const batch = await this.#readNext(viewer);
      if (batch.hasMore) this.#signal.notify();
      if (this.#isNews(batch)) return batch;
    }
    return undefined;
  }

  /** The last batch of a catch-up is sent even if empty. */
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

  /** @throws UNAUTHENTICATED */
  async #readViewer(): Promise<Viewer> {
    const { credentials } = this.#context.services.accounts;
    const read = () => credentials.readAccess(this.#sessionId);
    const { viewer } = await this.#retry('a session could not be read', read);
    if (viewer?.id !== this.#userId) throw unauthenticated();
    return viewer;
  }

  #readNext(viewer: Viewer): Promise<BatchEvent> {
    const { syncReads } = this.#context.services;
    const read = () => syncReads.run(this.#userId, () => this.#readBatch(viewer));
    return this.#retry('a replica could not be updated', read);
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

  /** Undefined if the batch is too large. @throws ResponseTooLarge if it is one entity */
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

/** Whether nothing has changed after the position. */
function isReached(position: SyncPosition, { states, relatedRevision }: Viewer): boolean {
  const related = [...position.spaces.values()].reduce((sum, space) => sum + space.related, 0);
  return (
    states.size === position.spaces.size &&
    related === Number(relatedRevision) &&
    [...states].every(([space, point]) => isSamePoint(position.spaces.get(space), point))
  );
}

const isEmpty = ({ full, user, entities, deleted, mutations }: Batch) =>
  !full && user === null && [deleted, mutations, ...Object.values(entities)].every(({ length }) => length === 0);
