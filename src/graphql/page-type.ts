import type { ObjectRef } from '@pothos/core';
import type { IndirectInclude } from '@pothos/plugin-prisma';
import { nodePaths } from '@taskgate/nested-read';
import type { Connection } from '../platform/connection.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { PageInfo } from './shared-types.ts';
import type { Page } from '../platform/pages.ts';

export const pageArguments = builder.args((t) => ({
  first: t.int({ defaultValue: 50, description: 'Maximum number of entries, 0 to 500.' }),
  after: t.string({ description: 'Cursor of the last entry that is known.' }),
}));

/** Defines a connection and its edge (Relay). @param entry noun for the descriptions */
export function connectionType<Node extends object>(name: string, type: ObjectRef<SchemaTypes, Node>, entry: string) {
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

/** Defines the connection of an entity's type, and its edge (Relay). @param counted description of `totalCount` */
export function countedConnectionType<Row extends object>(
  type: ObjectRef<SchemaTypes, Row>,
  { name, counted }: { name: string; counted: string },
) {
  const noun = name.toLowerCase();
  const Edge = builder.objectRef<Connection<Row>['edges'][number]>(`${name}Edge`).implement({
    description: `A ${noun} on a page, with its cursor.`,
    fields: (t) => ({
      node: t.field({ type, description: `The ${noun}.`, resolve: ({ node }) => node as never }),
      cursor: t.string({
        description: `Cursor for \`after\` and \`before\`. Stays valid after the ${noun} is deleted.`,
        resolve: ({ cursor }) => cursor(),
      }),
    }),
  });
  return builder.objectRef<Connection<Row>>(`${name}Connection`).implement({
    description: `A page of a list of ${noun}s.`,
    fields: (t) => ({
      edges: t.expose('edges', { type: [Edge], description: `${name}s of the page with their cursors.` }),
      nodes: t.field({
        type: [type],
        description: `${name}s of the page.`,
        resolve: ({ edges }) => edges.map(({ node }) => node) as never,
      }),
      pageInfo: t.expose('pageInfo', { type: PageInfo, description: 'Position of the page in the list.' }),
      totalCount: t.int({
        extensions: { scans: () => true },
        description: counted,
        resolve: ({ count }) => count(),
      }),
    }),
  });
}

/** The function that Pothos passes to a field's `select`. */
export type NestedSelection = <Query extends object>(query: Query, path: never) => Query;

/** Path of {@link NestedSelection} to the rows of a connection. */
export const toNodes = (name: string) => ({ getType: () => name, paths: nodePaths }) satisfies IndirectInclude as never;
