import { z } from 'zod';
import { invalid } from '@taskgate/base';
import type { Comment, Prisma } from '../generated/prisma/client.ts';
import { boundsOf, type PageArguments, type PageBounds } from '../platform/connection.ts';
import { parseDateTime } from '../platform/dates.ts';
import { isId } from '../platform/ids.ts';
import { decodePosition, encodeOpaque } from '../platform/opaque.ts';

export type CommentPosition = Pick<Comment, 'id' | 'createdAt'>;

const moment = z.unknown().transform(parseDateTime).pipe(z.date());
const shape = z.tuple([z.literal('comments'), moment, z.string().refine((id) => isId('Comment', id))]);

/** Valid even after the comment's deletion. */
export const cursorOf = ({ createdAt, id }: CommentPosition): string => encodeOpaque(['comments', createdAt, id]);

/** @throws VALIDATION_FAILED */
function beyond(cursor: string, side: 'after' | 'before'): Prisma.CommentWhereInput {
  const { data } = shape.safeParse(decodePosition(cursor));
  if (!data) throw invalid(side, 'must be a cursor of this list');
  const [, createdAt, id] = data;
  const operator = side === 'after' ? 'gt' : 'lt';
  // The index needs the bound as a separate condition.
  return {
    createdAt: { [`${operator}e`]: createdAt },
    OR: [{ createdAt: { [operator]: createdAt } }, { createdAt, id: { [operator]: id } }],
  };
}

export const defaultPage = 50;

/** The oldest first. With `last`, the default of `first` does not count. @throws VALIDATION_FAILED for page sizes out of bounds, and cursors of another list */
export function pageOf(args: PageArguments): PageBounds & { query: Prisma.Task$commentsArgs } {
  const first = args.last != null && args.first === defaultPage ? null : args.first;
  const bounds = boundsOf({ ...args, first }, { default: defaultPage, max: 500 });
  const sort = bounds.backwards ? 'desc' : 'asc';
  const { after, before } = args;
  const where = {
    AND: [...(after == null ? [] : [beyond(after, 'after')]), ...(before == null ? [] : [beyond(before, 'before')])],
  };
  return { ...bounds, query: { where, orderBy: [{ createdAt: sort }, { id: sort }], take: bounds.size + 1 } };
}
