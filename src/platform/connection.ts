import { type InputProblem, requireNone } from '@taskgate/base';
import { maxResponseBytes, ResponseTooLarge } from '@taskgate/work';
import type { PageSize } from './context.ts';

export interface PageArguments {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
}

/** Fetches one extra entry, which shows whether the list continues. */
export interface PageBounds {
  backwards: boolean;
  /** Size of the page without the extra entry. */
  size: number;
  /** Whether the extra entry is an error. */
  isWhole: boolean;
}

/** @throws VALIDATION_FAILED for page sizes out of bounds */
export function boundsOf({ first, last }: PageArguments, pageSize: PageSize): PageBounds {
  const problems: InputProblem[] = [];
  if (first != null && last != null) problems.push({ path: 'last', message: 'cannot be given together with first' });
  for (const [path, value] of Object.entries({ first, last })) {
    if (value == null) continue;
    if (value < 0 || value > pageSize.max) problems.push({ path, message: `must be 0 to ${pageSize.max}` });
  }
  requireNone(problems);
  return { size: first ?? last ?? pageSize.default, backwards: last != null, isWhole: pageSize.isWhole ?? false };
}

/** @param count called only if selected @throws ResponseTooLarge if the page must be the whole list and is not */
export function toConnection<Row>(
  { after, before }: PageArguments,
  { size, isWhole, backwards }: PageBounds,
  fetched: readonly Row[],
  cursorOf: (row: Row) => string,
  count: () => number | Promise<number>,
) {
  const more = fetched.length > size;
  if (more && isWhole) throw new ResponseTooLarge(maxResponseBytes);
  const rows = more ? fetched.slice(0, size) : [...fetched];
  if (backwards) rows.reverse();
  const edges = rows.map((node) => ({ node, cursor: () => cursorOf(node) }));
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

export type Connection<Row> = ReturnType<typeof toConnection<Row>>;
