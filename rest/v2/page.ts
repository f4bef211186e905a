import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { graphql } from '../graphql.ts';
import { queryNumber } from '../json-schema.ts';

export const after = z.string().describe('`cursor` of the previous page.').optional();

/** Maximum number of entries. @param bounds inclusive */
export const pageSize = (bounds: { minimum: number; maximum: number; default: number }) =>
  queryNumber({ ...bounds, description: 'Maximum number of entries.' }).optional();

export const NextPage = graphql('fragment NextPage on PageInfo { endCursor hasNextPage }');

/** Shape of a page's response, beside its entries. */
export const nextPage = {
  cursor: z.string().nullable().describe('Opaque cursor to continue from. Null if the page is empty.'),
  hasMore: z.boolean().describe('Whether there are more entries after `cursor`.'),
};

export const toNextPage = ({ endCursor, hasNextPage }: FragmentOf<typeof NextPage>) => ({
  cursor: endCursor,
  hasMore: hasNextPage,
});
