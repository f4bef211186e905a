import type { GraphQLResolveInfo } from 'graphql';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { readAccess } from '../accounts/rules.ts';
import type { Delivery } from '../graphql/subscribe.ts';
import { AnswerBudget, AnswerTooLarge } from '../kernel/budget.ts';
import { budgetOf, type Context, notCached, signedIn, type Viewer } from '../kernel/context.ts';
import { invalid, unauthenticated } from '../kernel/errors.ts';
import { KeyedLimiter } from '../kernel/keyed-limiter.ts';
import { stream } from '../kernel/stream.ts';
import { retryUntil } from '../database/retry.ts';
import { type BatchSize, type ReadBatch, readBatch, type Selections } from './batch.ts';
import { decodeCursor, encodeCursor, type SyncPosition } from './cursor.ts';
import * as data from './data.ts';
import { SyncSignal } from './signal.ts';

/** The most entities that a batch can be asked for. */
export const maxFirst = 5000;

/** A batch as it is given. */
export interface Batch extends ReadBatch {
  cursor: string;
}

/** A batch as an event of a subscription: the root value of its execution. */
export interface BatchEvent extends Batch, Delivery {}

/** Where a batch has each type of entity in its answer, and what that is called in the schema. */
const fields = {
  USER: ['user', 'User'],
  WORKSPACE: ['workspaces', 'Workspace'],
  PROJECT: ['projects', 'Project'],
  SECTION: ['sections', 'Section'],
  TAG: ['tags', 'Tag'],
  TASK: ['tasks', 'Task'],
} as const;

/** What is selected of a batch. The context's viewer becomes the one of the snapshot that it is read from. */
const selectionsOf = (context: Context, info: GraphQLResolveInfo) => (viewer: Viewer) => {
  context.viewer = viewer;
  const selections = Object.entries(fields).map(([type, [name, typeName]]) => [
    type,
    queryFromInfo({ context, info, typeName, paths: [[{ name }]] }),
  ]);
  return Object.fromEntries(selections) as Selections;
};

/** Reads a batch, for an operation or an event of a subscription. */
async function read(
  context: Context,
  info: GraphQLResolveInfo,
  since: SyncPosition | undefined,
  size: BatchSize,
  budget: AnswerBudget,
): Promise<Batch> {
  const viewer = signedIn(context);
  const batch = await data.inSnapshot(budget, (run) =>
    readBatch(run, viewer, since, size, selectionsOf(context, info)),
  );
  return { ...batch, cursor: encodeCursor(viewer.id, batch.position) };
}

/**
 * What a replica lacks that stands at a cursor; without one, the first batch of a first load.
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED; VALIDATION_FAILED where `first` is not from 1 to 5,000
 */
export async function sync(
  context: Context,
  info: GraphQLResolveInfo,
  after: string | null | undefined,
  first: number,
): Promise<Batch> {
  const viewer = signedIn(context);
  if (first < 1 || first > maxFirst) throw invalid('first', 'must be a whole number from 1 to 5,000');
  notCached(context);
  const since = after == null ? undefined : decodeCursor(viewer.id, after);
  return read(context, info, since, { entities: first }, budgetOf(viewer));
}

/** Reads of subscriptions that run at once: however many a change is for, the pool's other connections are left to all else. */
const reads = new KeyedLimiter({ name: 'sync_reads', concurrency: 4 });

/** Entities of a batch while a subscription catches up, and after it was too large as a whole. */
const sizes = [500, 50, 5, 1];

/**
 * Subscribes to all that a replica is to hold: first what it lacks, then what changes.
 * @throws UNAUTHENTICATED; CURSOR_EXPIRED. While it runs it ends with UNAUTHENTICATED, CURSOR_EXPIRED or GOING_AWAY
 */
export async function subscribeToSync(
  context: Context,
  info: GraphQLResolveInfo,
  after: string | null | undefined,
): Promise<AsyncGenerator<BatchEvent, void>> {
  const { id: userId } = signedIn(context);
  const sessionId = context.session.id;
  if (sessionId === undefined) throw unauthenticated();
  let position = after == null ? undefined : decodeCursor(userId, after);
  /** Whether the replica stood at one moment of the database: what changes from then on comes in whole transactions. */
  let isLive = false;
  let budget: AnswerBudget | undefined;
  const { changes } = context.services;
  const signal = new SyncSignal(userId);
  changes.attach(signal);

  async function readNext(viewer: Viewer): Promise<BatchEvent> {
    for (const entities of isLive ? [Infinity, ...sizes] : sizes) {
      const event = { ...context, viewer, whenSent: undefined };
      const size = entities === Infinity ? { entities: sizes[0] ?? 1, isWhole: true } : { entities };
      budget = new AnswerBudget();
      try {
        const batch = await read(event, info, position, size, budget);
        isLive = !batch.hasMore;
        position = batch.position;
        return { ...batch, context: event };
      } catch (error) {
        budget.release();
        if (!(error instanceof AnswerTooLarge) || entities === sizes.at(-1)) throw error;
      }
    }
    throw new Error('a batch of one entity is read or refused');
  }

  const turn = (viewer: Viewer) =>
    retryUntil(
      'a replica could not be brought on',
      () => reads.run('', () => readNext(viewer)),
      () => signal.isOver,
    );

  const nextBatch = async (): Promise<BatchEvent | undefined> => {
    for (;;) {
      if (!(await signal.next())) return undefined;
      const { viewer } = await retryUntil(
        'a session could not be read',
        () => readAccess(sessionId),
        () => signal.isOver,
      );
      if (viewer?.id !== userId) throw unauthenticated();
      signal.follow(viewer.spaceIds);
      if (isLive && position && isReached(position, viewer)) continue;
      const batch = await turn(viewer);
      if (batch.hasMore) signal.ring();
      if (!isEmpty(batch)) return batch;
    }
  };

  const stop = () => {
    changes.detach(signal);
    signal.end();
    budget?.release();
    return Promise.resolve();
  };
  let opened: BatchEvent | undefined = await turn(signedIn(context)).catch((error: unknown) => {
    void stop();
    throw error;
  });
  const next = async (): Promise<IteratorResult<BatchEvent, void>> => {
    const first = opened;
    opened = undefined;
    if (first && !isEmpty(first)) return { done: false, value: first };
    budget?.release();
    const value = await nextBatch();
    return value ? { done: false, value } : { done: true, value: undefined };
  };
  return stream(next, stop);
}

/** Whether nothing has changed beyond a position, by what was read of the viewer. */
function isReached(position: SyncPosition, { spaceIds, revisions, relatedRevision }: Viewer): boolean {
  const related = [...position.spaces.values()].reduce((sum, space) => sum + space.related, 0);
  return (
    spaceIds.length === position.spaces.size &&
    related === Number(relatedRevision) &&
    spaceIds.every((id) => position.spaces.get(id)?.revision === Number(revisions[id]))
  );
}

const isEmpty = ({ full, user, entities, deleted, mutations }: Batch) =>
  !full && user === null && [deleted, mutations, ...Object.values(entities)].every(({ length }) => length === 0);
