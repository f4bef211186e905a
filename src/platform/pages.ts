import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { decodePosition, encodeOpaque } from './opaque.ts';

const maxPage = 500;

/** `first` is 50 by default. */
export interface PageArguments {
  first?: number | null;
  after?: string | null;
}

/**
 * @param shape of a position in this list
 * @throws VALIDATION_FAILED for a size out of bounds, or another list's cursor
 */
export function parsePage<Position extends readonly unknown[]>(
  { first, after }: PageArguments,
  shape: z.ZodType<Position>,
): { size: number; position: Position | null } {
  const size = first ?? 50;
  if (size < 0 || size > maxPage) throw invalid('first', `must be 0 to ${maxPage}`);
  if (after == null) return { size, position: null };
  const { data: position } = shape.safeParse(decodePosition(after));
  if (!position) throw invalid('after', 'must be a cursor of this list');
  return { size, position };
}

export interface Page<Row> {
  edges: { node: Row; cursor: string }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
}

/** @param fetched the rows of the page, and one more if there are further pages */
export function pageOf<Row>(
  fetched: readonly Row[],
  size: number,
  positionOf: (row: Row) => string[],
  after?: string | null,
): Page<Row> {
  const edges = fetched.slice(0, size).map((node) => ({ node, cursor: encodeOpaque(positionOf(node)) }));
  return {
    edges,
    pageInfo: {
      hasNextPage: fetched.length > size,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** Omits entries mapped to undefined. */
export async function mapPage<Row, Node>(
  { edges, pageInfo }: Page<Row>,
  map: (row: Row) => Promise<Node | undefined> | Node | undefined,
): Promise<Page<Node>> {
  const nodes = await Promise.all(edges.map(async ({ node }) => await map(node)));
  return {
    edges: edges.flatMap(({ cursor }, index) => {
      const node = nodes[index];
      return node === undefined ? [] : [{ node, cursor }];
    }),
    pageInfo,
  };
}
