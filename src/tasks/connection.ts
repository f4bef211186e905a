import type { Scans } from '@taskgate/execution';
import type { Prisma } from '../generated/prisma/client.ts';
import { boundsOf, type PageArguments, type PageBounds } from '../platform/connection.ts';
import type { PageSize, Viewer } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { filterOf, type TaskFilter } from './filter.ts';
import {
  beyond,
  type Direction,
  isReadByIndex,
  type ListOrder,
  type ListOwner,
  listOrder,
  type ListPosition,
  orderByOf,
  type TaskOrder,
} from './order.ts';

export interface ConnectionArguments extends PageArguments {
  filter?: TaskFilter | null;
  orderBy?: TaskOrder | null;
  direction?: Direction | null;
}

export interface Page extends PageBounds {
  order: ListOrder;
  /** No index has the order of search results, nor of an assignee's tasks. */
  isIndexed: boolean;
  filter: Prisma.TaskWhereInput;
  query: { where: Prisma.TaskWhereInput; orderBy: Prisma.TaskOrderByWithRelationInput[]; take: number };
}

/** @throws VALIDATION_FAILED for page sizes out of bounds, cursors of another list, and as {@link filterOf} */
export function pageOf(args: ConnectionArguments, viewer: Viewer, pageSize: PageSize): Page {
  const order = listOrder(args.orderBy ?? 'SORT_KEY', args.direction);
  const pageBounds = boundsOf(args, pageSize);
  const filter = filterOf(args.filter ?? {}, viewer);
  const bounds = (['after', 'before'] as const).flatMap((side) => {
    const cursor = args[side];
    return cursor == null ? [] : beyond(order, cursor, side);
  });
  const query = {
    where: bounds.length > 0 ? { AND: [filter, ...bounds] } : filter,
    orderBy: orderByOf(order, pageBounds.backwards),
    take: pageBounds.size + 1,
  };
  const isIndexed = order.isIndexed && args.filter?.text == null && args.filter?.assigneeId == null;
  return { ...pageBounds, order, isIndexed, filter, query };
}

/**
 * Whether a list may read all tasks of its owner: its order has no index, its filter may match nothing, or no index
 * finds its cursor.
 */
export const scansOf =
  (owner: ListOwner): Scans =>
  (args) => {
    const { filter, orderBy, direction, after } = args as ConnectionArguments;
    const order = listOrder(orderBy ?? 'SORT_KEY', direction);
    const isFiltered = Object.values(filter ?? {}).some((condition) => condition != null);
    return isFiltered || !isReadByIndex(owner, order) || (after != null && order.nullable);
  };

export const positionFields = ({ order }: Page): { [Column in keyof ListPosition]?: true } & { id: true } => ({
  id: true,
  [order.column]: true,
});

export const taggedWith = (viewer: Viewer, { where, orderBy, take }: Page['query']) => ({
  where: { task: { AND: [inSpacesOf(viewer), where] } },
  orderBy: orderBy.map((task) => ({ task })),
  take,
});
