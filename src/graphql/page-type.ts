import type { ObjectRef } from '@pothos/core';
import { builder, type SchemaTypes } from './builder.ts';
import { PageInfo } from './shared-types.ts';
import type { Page } from '../platform/pages.ts';

export const pageArguments = builder.args((t) => ({
  first: t.int({ defaultValue: 50, description: 'Maximum number of entries, 0 to 500.' }),
  after: t.string({ description: 'Cursor of the last entry that is known.' }),
}));

/** Defines a connection and its edge (Relay). @param entry noun for the descriptions */
export function connectionOf<Node extends object>(name: string, type: ObjectRef<SchemaTypes, Node>, entry: string) {
  const Edge = builder.objectRef<Page<Node>['edges'][number]>(`${name}Edge`).implement({
    description: `A place on a page, with its ${entry}.`,
    fields: (t) => ({
      node: t.field({ type, description: `The ${entry}.`, resolve: (each) => each.node as never }),
      cursor: t.exposeString('cursor', { description: 'For `after`.' }),
    }),
  });
  return builder.objectRef<Page<Node>>(`${name}Connection`).implement({
    description: `A page of a list, with an edge for each ${entry}.`,
    fields: (t) => ({
      edges: t.field({
        type: [Edge],
        description: `The page, each ${entry} with its cursor.`,
        resolve: (each) => each.edges,
      }),
      nodes: t.field({
        type: [type],
        description: 'The page, without cursors.',
        resolve: (each) => each.edges.map((one) => one.node) as never,
      }),
      pageInfo: t.expose('pageInfo', { type: PageInfo, description: 'The position of the page in the list.' }),
    }),
  });
}
