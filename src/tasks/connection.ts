import { type InputProblem, requireNone } from '@taskgate/base';
import type { Scans } from '@taskgate/execution';
import { maxResponseBytes, ResponseTooLarge } from '@taskgate/work';
import type { Prisma } from '../generated/prisma/client.ts';
import type { PageSize, Viewer } from '../platform/context.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { filterOf, type TaskFilter } from './filter.ts';
import {
  beyond,
  cursorOf,
  type Direction,
  isReadByIndex,
  type ListOrder,
  type ListOwner,
  listOrder,
  type ListPosition,
  orderByOf,
  type TaskOrder,
} from './order.ts';

export interface ConnectionArguments {
  filter?: TaskFilter | null;
  orderBy?: TaskOrder | null;
  direction?: Direction | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** Fetches one extra entry, which shows whether the list continues. */
export interface Page {
  order: ListOrder;
  /** No index has the order of search results, nor of an assignee's tasks. */
  isIndexed: boolean;
  backwards: boolean;
  /** Without the extra entry. */
  size: number;
  /** Whether the extra entry is an error. */
  isWhole: boolean;
  filter: Prisma.TaskWhereInput;
  query: { where: Prisma.TaskWhereInput; orderBy: Prisma.TaskOrderByWithRelationInput[]; take: number };
}

/** @throws VALIDATION_FAILED for page sizes out of bounds, cursors of another list, and as {@link filterOf} */
export function pageOf(args: ConnectionArguments, viewer: Viewer, pageSize: PageSize): Page {
  const order = listOrder(args.orderBy ?? 'SORT_KEY', args.direction);
  const size = sizeOf(args, pageSize);
  const backwards = args.last != null;
  const filter = filterOf(args.filter ?? {}, viewer);
  const bounds = (['after', 'before'] as const).flatMap((side) => {
    const cursor = args[side];
    return cursor == null ? [] : beyond(order, cursor, side);
  });
  const query = {
    where: bounds.length > 0 ? { AND: [filter, ...bounds] } : filter,
    orderBy: orderByOf(order, backwards),
    take: size + 1,
  };
  const isIndexed = order.isIndexed && args.filter?.text == null && args.filter?.assigneeId == null;
  return { order, isIndexed, backwards, size, isWhole: pageSize.isWhole ?? false, filter, query };
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

function sizeOf({ first, last }: ConnectionArguments, pageSize: PageSize): number {
  const problems: InputProblem[] = [];
  if (first != null && last != null) problems.push({ path: 'last', message: 'cannot be given together with first' });
  for (const [path, value] of Object.entries({ first, last })) {
    if (value == null) continue;
    if (value < 0 || value > pageSize.max) problems.push({ path, message: `must be 0 to ${pageSize.max}` });
  }
  requireNone(problems);
  return first ?? last ?? pageSize.default;
}

export const positionFields = ({ order }: Page): { [Column in keyof ListPosition]?: true } & { id: true } => ({
  id: true,
  [order.column]: true,
});

export const taggedWith = (viewer: Viewer, { where, orderBy, take }: Page['query']) => ({
  where: { task: { AND: [inSpacesOf(viewer), where] } },
  orderBy: orderBy.map((task) => ({ task })),
  take,
});

/** @param count called only if selected @throws ResponseTooLarge if the page must be the whole list and is not */
export function toConnection<Row extends ListPosition>(
  { after, before }: ConnectionArguments,
  { size, isWhole, backwards, order }: Page,
  fetched: Row[],
  count: () => number | Promise<number>,
) {
  const more = fetched.length > size;
  if (more && isWhole) throw new ResponseTooLarge(maxResponseBytes);
  const rows = more ? fetched.slice(0, size) : [...fetched];
  if (backwards) rows.reverse();
  const edgeOf = (node: Row) => ({ node, cursor: () => cursorOf(order, node) });
  const edges = rows.map(edgeOf);
  return {
    edges,
    count,
    pageInfo: {
      hasNextPage: backwards ? before != null : more,
      hasPreviousPage: backwards ? more : after != null,
      startCursor: edges[0]?.cursor(),
      endCursor: edges.at(-1)?.cursor(),
    },
  };
}
