import type { ObjectRef } from '@pothos/core';
import { builder, type SchemaTypes } from '../graphql/builder.ts';
import { PageInfo } from '../graphql/shared-types.ts';
import type { Page } from './rules.ts';

/** Arguments of every list of the history. */
export const pageArguments = builder.args((t) => ({
  first: t.int({ defaultValue: 50, description: 'Maximum number of entries, 0 to 500.' }),
  after: t.string({ description: 'Cursor of the last entry that is known.' }),
}));

interface Descriptions {
  /** Of the connection. */
  page: string;
  edge: string;
  edges: string;
  node: string;
}

/** A connection and its edge (Relay cursor connections specification), of pages as the rules make them. @param name of both, without its ending */
export function connectionOf<Node extends object>(
  name: string,
  type: ObjectRef<SchemaTypes, Node>,
  { page, edge, edges, node }: Descriptions,
) {
  const Edge = builder.objectRef<Page<Node>['edges'][number]>(`${name}Edge`).implement({
    description: edge,
    fields: (t) => ({
      node: t.field({ type, description: node, resolve: (each) => each.node as never }),
      cursor: t.exposeString('cursor', { description: 'For `after`.' }),
    }),
  });
  return builder.objectRef<Page<Node>>(`${name}Connection`).implement({
    description: page,
    fields: (t) => ({
      edges: t.field({ type: [Edge], description: edges, resolve: (each) => each.edges }),
      nodes: t.field({
        type: [type],
        description: 'The page, without cursors.',
        resolve: (each) => each.edges.map((one) => one.node) as never,
      }),
      pageInfo: t.expose('pageInfo', { type: PageInfo, description: 'The position of the page in the list.' }),
    }),
  });
}
