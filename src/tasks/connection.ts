import type { Prisma, Task } from '../generated/prisma/client.ts';
import { AnswerTooLarge, maxAnswerBytes } from '../kernel/budget.ts';
import type { PageSize, Viewer } from '../kernel/context.ts';
import { parseDateTime } from '../kernel/dates.ts';
import { type InputProblem, invalid, ValidationError } from '../kernel/errors.ts';
import { onlyIds } from '../kernel/ids.ts';
import { filterOf, type TaskFilter } from './filter.ts';

/** Columns that tasks can be ordered by; each order ends with the id, so that it is total. */
const orders = {
  SORT_KEY: { column: 'sortKey', direction: 'asc', nullable: false },
  DUE_DATE: { column: 'dueDate', direction: 'asc', nullable: true },
  CREATED_AT: { column: 'createdAt', direction: 'desc', nullable: false },
  COMPLETED_AT: { column: 'completedAt', direction: 'desc', nullable: true },
} as const;

export type TaskOrder = keyof typeof orders;

export interface ConnectionArguments {
  filter?: TaskFilter | null;
  orderBy?: TaskOrder | null;
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** What of a task its place in an order can be told from: its id, and the order's column. */
export type ListPosition = Pick<Task, 'id'> & Partial<Pick<Task, 'sortKey' | 'dueDate' | 'createdAt' | 'completedAt'>>;

/** A page as a query: one entry more is fetched than is given, to know whether the list goes on. */
export interface Page {
  order: TaskOrder;
  /** Whether entries are fetched from the end of the list. */
  backwards: boolean;
  /** Entries given. */
  size: number;
  /** Whether more entries than these are refused, not left out. */
  isWhole: boolean;
  filter: Prisma.TaskWhereInput;
  query: { where: Prisma.TaskWhereInput; orderBy: Prisma.TaskOrderByWithRelationInput[]; take: number };
}

/**
 * Reads a connection's arguments.
 * @throws VALIDATION_FAILED for page sizes out of bounds, cursors of another list, and too many ids
 */
export function pageOf(args: ConnectionArguments, viewer: Viewer, pageSize: PageSize): Page {
  const order = args.orderBy ?? 'SORT_KEY';
  const size = sizeOf(args, pageSize);
  const backwards = args.last != null;
  const filter = filterOf(args.filter ?? {}, viewer);
  const bounds = (['after', 'before'] as const).flatMap((side) => {
    const cursor = args[side];
    return cursor == null ? [] : beyond(order, positionOf(order, cursor, side), side);
  });
  const query = {
    where: bounds.length > 0 ? { AND: [filter, ...bounds] } : filter,
    orderBy: orderOf(order, backwards),
    take: size + 1,
  };
  return { order, backwards, size, isWhole: pageSize.isWhole ?? false, filter, query };
}

function sizeOf({ first, last }: ConnectionArguments, pageSize: PageSize): number {
  const problems: InputProblem[] = [];
  if (first != null && last != null) problems.push({ path: 'last', message: 'cannot be given together with first' });
  for (const [path, value] of Object.entries({ first, last })) {
    if (value == null) continue;
    if (value < 0 || value > pageSize.max) problems.push({ path, message: `must be 0 to ${pageSize.max}` });
  }
  if (problems.length > 0) throw new ValidationError(problems);
  return first ?? last ?? pageSize.default;
}

function orderOf(order: TaskOrder, backwards: boolean): Prisma.TaskOrderByWithRelationInput[] {
  const { column, direction, nullable } = orders[order];
  const sort = (direction === 'asc') === backwards ? 'desc' : 'asc';
  // Nulls stand at the end of a list, so at the beginning of a reversed one.
  const nulls = backwards ? 'first' : 'last';
  return [{ [column]: nullable ? { sort, nulls } : sort }, { id: sort }];
}

/** Columns that the place of a task in the page's order is told from. */
export const positionFields = ({ order }: Page): { [Column in keyof ListPosition]?: true } & { id: true } => ({
  id: true,
  [orders[order].column]: true,
});

/** What lies behind (or before) a place: by the column, at equal values by the id, nulls last. */
function beyond(order: TaskOrder, place: CursorPosition, side: 'after' | 'before'): Prisma.TaskWhereInput {
  const { column, direction, nullable } = orders[order];
  const operator = (direction === 'asc') === (side === 'after') ? 'gt' : 'lt';
  const ties = { [column]: place.value, id: { [operator]: place.id } };
  if (place.value === null) return side === 'after' ? ties : { OR: [{ [column]: { not: null } }, ties] };
  const nulls = nullable && side === 'after' ? [{ [column]: null }] : [];
  return { OR: [{ [column]: { [operator]: place.value } }, ties, ...nulls] };
}

interface CursorPosition {
  value: string | Date | null;
  id: string;
}

/** A cursor holds its task's place, not only its id: it stays valid when the task is gone. */
export function cursorOf(order: TaskOrder, task: ListPosition): string {
  return Buffer.from(JSON.stringify([order, task[orders[order].column], task.id])).toString('base64url');
}

function positionOf(order: TaskOrder, cursor: string, path: string): CursorPosition {
  const refuse = () => invalid(path, `must be a cursor of this list in the order ${order}`);
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw refuse();
  }
  if (!Array.isArray(content) || content.length !== 3) throw refuse();
  const [ofOrder, value, id] = content as unknown[];
  if (ofOrder !== order || typeof id !== 'string' || onlyIds('Task', [id]).length === 0) throw refuse();
  if (value === null && orders[order].nullable) return { value, id };
  if (typeof value !== 'string') throw refuse();
  if (order === 'SORT_KEY') {
    if (!/^[ -~]+$/.test(value)) throw refuse();
    return { value, id };
  }
  const date = parseDateTime(value);
  if (!date) throw refuse();
  return { value: date, id };
}

/** Rows of several ordered lists as one: the page's entries, one more where there are more. */
export function merge<Row extends ListPosition>({ order, backwards, size }: Page, lists: Row[][]): Row[] {
  const [only] = lists;
  if (only && lists.length === 1) return only;
  const { column, direction } = orders[order];
  const sign = (direction === 'asc') === backwards ? -1 : 1;
  const rows = lists.flat().sort((left, right) => {
    const [a = null, b = null] = [left[column], right[column]];
    if (a?.valueOf() === b?.valueOf()) return left.id < right.id ? -sign : sign;
    if (a === null || b === null) return (a === null) === backwards ? -1 : 1;
    return a < b ? -sign : sign;
  });
  return rows.slice(0, size + 1);
}

/**
 * Fetched rows as a connection (Relay cursor connections specification).
 * @param count counts the whole list; only asked where the count is
 * @throws AnswerTooLarge where it is to be the whole list, and is not
 */
export function toConnection<Row extends ListPosition>(
  { after, before }: ConnectionArguments,
  { size, isWhole, backwards, order }: Page,
  fetched: Row[],
  count: () => number | Promise<number>,
) {
  const more = fetched.length > size;
  if (more && isWhole) throw new AnswerTooLarge(maxAnswerBytes);
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
