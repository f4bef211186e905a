import type { GraphQLResolveInfo } from 'graphql';
import { queryFromInfo } from '@pothos/plugin-prisma';
import { invalid } from '@taskgate/base';
import { budgetOf, type ReadBudget } from '@taskgate/postgres';
import { type Context, notCached, signedIn, type Viewer } from '../platform/context.ts';
import { entities, type EntityKind, syncedKinds } from '../platform/entities.ts';
import { type BatchSize, type ReadBatch, readBatch, type Selections } from './batch.ts';
import { decodeCursor, encodeCursor, type SyncPosition } from './cursor.ts';
import * as data from './data.ts';

const maxFirst = 5000;

export interface Batch extends ReadBatch {
  cursor: string;
}

/** Collects the selections. Gives the snapshot's viewer to the context. */
const selectionsOf = (context: Context, info: GraphQLResolveInfo) => (viewer: Viewer) => {
  context.viewer = viewer;
  const selection = (kind: EntityKind, name: string) =>
    queryFromInfo({ context, info, typeName: kind, paths: [[{ name }]] });
  const selections = syncedKinds.map((kind) => [kind, selection(kind, entities[kind].sync.list)]);
  return Object.fromEntries([['User', selection('User', 'user')], ...selections]) as Selections;
};

/** @throws CURSOR_EXPIRED; the budget's error */
export async function read(
  context: Context,
  info: GraphQLResolveInfo,
  since: SyncPosition | undefined,
  size: BatchSize,
  budget: ReadBudget,
): Promise<Batch> {
  const viewer = signedIn(context);
  const batch = await data.readInSnapshot({ connections: viewer.connections, budget }, (run) =>
    readBatch(run, viewer, since, size, selectionsOf(context, info)),
  );
  return { ...batch, cursor: encodeCursor(viewer.id, batch.position) };
}

/**
 * Without a cursor, returns the first batch of a load.
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED; VALIDATION_FAILED if `first` is outside 1 to 5,000
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
  // A cursor of many spaces takes long, and an operation may have fifty.
  if (after != null) await context.services.turns.next(viewer.id, true);
  const since = after == null ? undefined : decodeCursor(viewer.id, after);
  return read(context, info, since, { entities: first }, budgetOf(viewer));
}
