import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import RelayPlugin from '@pothos/plugin-relay';
import { GraphQLError } from 'graphql';
import { getDatamodel, type default as PrismaTypes } from '../generated/pothos.ts';
import type { Context } from './context.ts';
import { db } from './database.ts';
import { formatDate, parseDate, parseDateTime } from './dates.ts';
import { entityOfId } from './ids.ts';

/** The schema builder. It defines what has no room of its own: scalars, Node, the two roots. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  DefaultEdgesNullability: { list: false; items: false };
  DefaultNodeNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: Date; Output: Date };
    Upload: { Input: File; Output: never };
  };
}>({
  plugins: [PrismaPlugin, RelayPlugin],
  defaultFieldNullability: false,
  prisma: { client: () => db, dmmf: getDatamodel(), onUnusedQuery: null },
  relay: {
    // A TypeID tells its entity by itself and is the same over REST.
    encodeGlobalID: (_typename, id) => String(id),
    decodeGlobalID: (id) => ({ typename: entityOfId(id) ?? '', id }),
    nodeTypeOptions: { description: 'Anything that has an id of its own: the same string as over REST.' },
    nodeQueryOptions: {
      description: 'The object with that id; null where there is none, or none that the caller may see.',
      args: { id: { description: 'Id of any object.' } },
      resolve: (_root, { id }, _context, _info, resolveNode) => (id.typename ? resolveNode(id) : null),
    },
    nodesQueryOptions: {
      description: 'The objects with those ids, in that order, null where there is none that the caller may see.',
      args: { ids: { description: 'Ids of any objects.' } },
      resolve: async (_root, { ids }, _context, _info, resolveNodes) => {
        const found = new Map<string, unknown>();
        const known = ids.filter((id) => id.typename);
        for (const [index, node] of (await resolveNodes(known)).entries()) found.set(known[index]?.id ?? '', node);
        return ids.map(({ id }) => (found.get(id) ?? null) as null);
      },
    },
    pageInfoTypeOptions: { description: 'Where a page of a connection stands in the whole.' },
    cursorType: 'String',
    edgesFieldOptions: {
      nullable: { list: false, items: false },
      description: 'The page, each entry with its cursor.',
    },
    nodeFieldOptions: { nullable: false, description: 'The entry.' },
    nodesOnConnection: { description: 'The page, without cursors.' },
  },
});

builder.queryType({ description: 'What can be read. Everything but `viewer` needs a session.' });
builder.mutationType({
  description: 'What can be changed. Each mutation is one transaction: all of it happens, or nothing.',
});

builder.scalarType('DateTime', {
  description:
    'A moment, ISO 8601 in UTC with milliseconds: `2026-11-20T10:00:00.000Z`. Input without an offset is UTC.',
  serialize: (value) => value.toISOString(),
  parseValue: (value) => parseDateTime(value) ?? refuse('DateTime', 'an ISO 8601 date and time'),
});

builder.scalarType('Date', {
  description: 'A day of the calendar: `2026-11-20`.',
  serialize: formatDate,
  parseValue: (value) => parseDate(value) ?? refuse('Date', 'a date that exists, as YYYY-MM-DD'),
});

builder.scalarType('Upload', {
  description: 'A file, sent by a multipart request (graphql-multipart-request-spec).',
  serialize: () => refuse('Upload', 'used for input alone'),
  parseValue: (value) => (value instanceof File ? value : refuse('Upload', 'a file of a multipart request')),
});

function refuse(scalar: string, expected: string): never {
  throw new GraphQLError(`${scalar} must be ${expected}`);
}
