import type { Selection } from '@taskgate/nested-read';
import type { Snapshot } from '@taskgate/postgres';
import type { Prisma } from '../generated/prisma/client.ts';
import { type Context, signedIn, type Viewer } from './context.ts';
import { entities, type NodeKind } from './entities.ts';
import { orNotFound } from './errors.ts';
import { isId } from './ids.ts';
import { inSpacesOf, spacesOf } from './policy.ts';

type RowOf<Kind extends NodeKind> = Prisma.TypeMap['model'][(typeof entities)[Kind]['model']]['payload']['scalars'];

const seenBy = (viewer: Viewer, kind: NodeKind) =>
  entities[kind].space === 'id' ? spacesOf(viewer) : inSpacesOf(viewer);

/**
 * Finds entities in any order, by one statement. Omits those invisible to the viewer.
 * @param within the snapshot to read from
 */
export async function findByIds<Kind extends NodeKind>(
  kind: Kind,
  viewer: Viewer,
  ids: readonly string[],
  { select = {} }: Selection,
  within?: Snapshot,
): Promise<RowOf<Kind>[]> {
  const where = { AND: [{ id: { in: [...ids] } }, seenBy(viewer, kind)] };
  const reads = viewer.connections.readsOf(entities[kind].model);
  return (await reads.read({ select: { ...select, id: true }, where }, within ?? viewer)) as RowOf<Kind>[];
}

/** Null if the viewer may not see the entity. */
export async function findById<Kind extends NodeKind>(
  kind: Kind,
  viewer: Viewer,
  id: string,
  { select = {} }: Selection,
): Promise<RowOf<Kind> | null> {
  if (!isId(kind, id)) return null;
  const where = { AND: [{ id }, seenBy(viewer, kind)] };
  return (await viewer.connections
    .readsOf(entities[kind].model)
    .readOne({ select, where }, viewer)) as RowOf<Kind> | null;
}

/** @throws NOT_FOUND if the viewer may not see the entity */
export const requireVisible = async (kind: NodeKind, viewer: Viewer, id: string) =>
  orNotFound(await findById(kind, viewer, id, {}), kind);

/** Finds the authors of changes in a space of the viewer. */
export const findActors = (viewer: Viewer, ids: readonly string[], { select }: Selection) =>
  viewer.connections.db.user.read({ select: { ...select, id: true }, where: { id: { in: [...ids] } } }, viewer);

/** Finds who made operations. Omits those invisible to the viewer. */
export const findOperationsByIds = (viewer: Viewer, ids: readonly string[]) =>
  viewer.connections.db.operation.findMany({
    where: { id: { in: [...ids] }, ...inSpacesOf(viewer) },
    select: { id: true, actorId: true, client: true },
  });

/**
 * Makes the resolver of a mutation that responds with an entity. The entity and the viewer are read after the change,
 * unless it returned all selected columns.
 * @param act makes the change, and returns the entity's id, or its row as written
 * @throws NOT_FOUND if the entity is gone, or the viewer has left its space
 */
export const answering =
  <Kind extends NodeKind, Args>(kind: Kind, act: (context: Context, args: Args) => Promise<string | RowOf<Kind>>) =>
  async (query: Selection, _root: unknown, args: Args, context: Context): Promise<RowOf<Kind>> => {
    const written = await act(context, args);
    if (typeof written === 'object' && Object.keys(query.select ?? {}).every((name) => Object.hasOwn(written, name))) {
      return written;
    }
    const id = typeof written === 'object' ? written.id : written;
    return orNotFound(await findById(kind, signedIn(context), id, query), kind);
  };
