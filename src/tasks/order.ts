import { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Prisma, Task } from '../generated/prisma/client.ts';
import { parseDateTime } from '../platform/dates.ts';
import { isId } from '../platform/ids.ts';
import { text } from '../platform/input.ts';
import { decodePosition, encodeOpaque, opaqueText } from '../platform/opaque.ts';
import { valuesOf } from '../platform/fields.ts';
import { priority } from './fields.ts';

export type TaskOrder = 'SORT_KEY' | 'DUE_DATE' | 'CREATED_AT' | 'COMPLETED_AT' | 'UPDATED_AT' | 'PRIORITY' | 'TITLE';

export type Direction = 'ASC' | 'DESC';

type Column = 'sortKey' | 'dueDate' | 'createdAt' | 'completedAt' | 'updatedAt' | 'priority' | 'title';

interface ColumnOrder {
  column: Column;
  direction: Direction;
  /** Nulls are last in both directions. */
  nullable: boolean;
  /** Each index slows every change of a task. */
  isIndexed: boolean;
  value: z.ZodType<string | Date | null>;
}

const moment = z.unknown().transform(parseDateTime).pipe(z.date());

/** Orders end with the id in the same direction, which makes them total. */
const orders: Readonly<Record<TaskOrder, ColumnOrder>> = {
  SORT_KEY: { column: 'sortKey', direction: 'ASC', nullable: false, isIndexed: true, value: opaqueText },
  DUE_DATE: { column: 'dueDate', direction: 'ASC', nullable: true, isIndexed: true, value: moment.nullable() },
  CREATED_AT: { column: 'createdAt', direction: 'DESC', nullable: false, isIndexed: true, value: moment },
  COMPLETED_AT: { column: 'completedAt', direction: 'DESC', nullable: true, isIndexed: true, value: moment.nullable() },
  UPDATED_AT: { column: 'updatedAt', direction: 'DESC', nullable: false, isIndexed: false, value: moment },
  PRIORITY: {
    column: 'priority',
    direction: 'DESC',
    nullable: true,
    isIndexed: false,
    value: z.enum(valuesOf(priority)).nullable(),
  },
  TITLE: { column: 'title', direction: 'ASC', nullable: false, isIndexed: false, value: text() },
};

export interface ListOrder extends ColumnOrder {
  name: TaskOrder;
}

export const listOrder = (name: TaskOrder, direction?: Direction | null): ListOrder => ({
  ...orders[name],
  name,
  direction: direction ?? orders[name].direction,
});

export type ListOwner = 'space' | 'project' | 'section' | 'tag';

const either: Direction[] = ['ASC', 'DESC'];
const bySortKey = { SORT_KEY: either };

/** An index has nulls last, so it serves a nullable column in one direction. */
const indexed: Readonly<Record<ListOwner, Partial<Record<TaskOrder, Direction[]>>>> = {
  space: { ...bySortKey, CREATED_AT: either, DUE_DATE: ['ASC'] },
  project: bySortKey,
  section: bySortKey,
  tag: {},
};

/** Otherwise all tasks of the owner are sorted. */
export const isReadByIndex = (owner: ListOwner, { name, direction }: ListOrder): boolean =>
  indexed[owner][name]?.includes(direction) ?? false;

export type ListPosition = Pick<Task, 'id'> & Partial<Pick<Task, Column>>;

export function orderByOf(
  { column, direction, nullable }: ListOrder,
  backwards: boolean,
): Prisma.TaskOrderByWithRelationInput[] {
  const sort = (direction === 'ASC') === backwards ? 'desc' : 'asc';
  const nulls = backwards ? 'first' : 'last';
  return [{ [column]: nullable ? { sort, nulls } : sort }, { id: sort }];
}

/** @param side argument with the cursor @throws VALIDATION_FAILED if the cursor is not of this order and direction */
export function beyond(order: ListOrder, cursor: string, side: 'after' | 'before'): Prisma.TaskWhereInput {
  const { column, direction, nullable } = order;
  const { value, id } = positionOf(order, cursor, side);
  const operator = (direction === 'ASC') === (side === 'after') ? 'gt' : 'lt';
  const ties = { [column]: value, id: { [operator]: id } };
  if (value === null) return side === 'after' ? ties : { OR: [{ [column]: { not: null } }, ties] };
  const beyondCursor = [{ [column]: { [operator]: value } }, ties];
  if (nullable && side === 'after') return { OR: [...beyondCursor, { [column]: null }] };
  // The index needs the bound as a separate condition.
  return { [column]: { [`${operator}e`]: value }, OR: beyondCursor };
}

/** Valid even after the task's deletion. */
export const cursorOf = ({ name, direction, column }: ListOrder, task: ListPosition): string =>
  encodeOpaque([name, direction, task[column], task.id]);

const taskId = z.string().refine((id) => isId('Task', id));

function positionOf({ name, direction, value }: ListOrder, cursor: string, path: string) {
  const shape = z.tuple([z.literal(name), z.literal(direction), value, taskId]);
  const { data } = shape.safeParse(decodePosition(cursor));
  if (!data) throw invalid(path, `must be a cursor of this list in the order ${name} ${direction}`);
  return { value: data[2], id: data[3] };
}

export function merge<Row extends ListPosition>(
  { column, direction }: ListOrder,
  backwards: boolean,
  lists: Row[][],
): Row[] {
  const [only] = lists;
  if (only && lists.length === 1) return only;
  const sign = (direction === 'ASC') === backwards ? -1 : 1;
  return lists.flat().sort((left, right) => {
    const [a = null, b = null] = [left[column], right[column]];
    if (a?.valueOf() === b?.valueOf()) return left.id < right.id ? -sign : sign;
    if (a === null || b === null) return (a === null) === backwards ? -1 : 1;
    return a < b ? -sign : sign;
  });
}
