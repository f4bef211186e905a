import type { GraphQLResolveInfo } from 'graphql';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { ResponseBudget } from '../kernel/budget.ts';
import { budgetOf, type Context, notCached, signedIn, type Viewer } from '../kernel/context.ts';
import { entities, type EntityKind, syncedKinds } from '../kernel/entities.ts';
import { invalid } from '../kernel/errors.ts';
import { type BatchSize, type ReadBatch, readBatch, type Selections } from './batch.ts';
import { decodeCursor, encodeCursor, type SyncPosition } from './cursor.ts';
import * as data from './data.ts';

/** The most entities that a request can have in a batch. */
const maxFirst = 5000;

export interface Batch extends ReadBatch {
  cursor: string;
}

/** What is selected of a batch. The context's viewer becomes the one of the snapshot that it is read from. */
const selectionsOf = (context: Context, info: GraphQLResolveInfo) => (viewer: Viewer) => {
  context.viewer = viewer;
  const selection = (kind: EntityKind, name: string) =>
    queryFromInfo({ context, info, typeName: kind, paths: [[{ name }]] });
  const selections = syncedKinds.map((kind) => [kind, selection(kind, entities[kind].sync.list)]);
  return Object.fromEntries([['User', selection('User', 'user')], ...selections]) as Selections;
};

/**
 * Reads a batch, for an operation or an event of a subscription.
 * @param info of the field, whose selection says what is read of each entity
 * @throws CURSOR_EXPIRED; the budget's refusal
 */
export async function read(
  context: Context,
  info: GraphQLResolveInfo,
  since: SyncPosition | undefined,
  size: BatchSize,
  budget: ResponseBudget,
): Promise<Batch> {
  const viewer = signedIn(context);
  const batch = await data.inSnapshot(budget, (run) =>
    readBatch(run, viewer, since, size, selectionsOf(context, info)),
  );
  return { ...batch, cursor: encodeCursor(viewer.id, batch.position) };
}

/**
 * What a replica at a cursor lacks; without one, the first batch of a first load.
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
