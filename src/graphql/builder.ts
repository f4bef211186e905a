import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql';
import { getDatamodel, type default as PrismaTypes } from '../generated/pothos.ts';
import type { Context } from '../platform/context.ts';
import '@taskgate/nested-read';
import { rowsAgain } from '../platform/rows-again.ts';
import { formatDate, parseDate, parseDateTime } from '../platform/dates.ts';

/** Scalars and root types belong to no module. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: Date; Output: Date | string };
    JSON: { Input: unknown; Output: unknown };
    Upload: { Input: File; Output: never };
  };
}>({
  plugins: ['columns', PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: rowsAgain, dmmf: getDatamodel() },
});

export type SchemaTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

builder.queryType({ description: 'Queries. All fields except `viewer` require authentication.' });
builder.mutationType({
  description: 'Mutations. Each one is a transaction, which takes effect completely or not at all.',
});

builder.scalarType('DateTime', {
  description:
    'A point in time, ISO 8601 in UTC with milliseconds: `2026-11-20T10:00:00.000Z`. Input without an offset is UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => value.toISOString(),
  ...parsing((value) => parseDateTime(value) ?? refuse('DateTime', 'an ISO 8601 date and time')),
});

builder.scalarType('Date', {
  description: 'A calendar date: `2026-11-20`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: (value) => (typeof value === 'string' ? value : formatDate(value)),
  ...parsing((value) => parseDate(value) ?? refuse('Date', 'a date that exists, as YYYY-MM-DD')),
});

builder.scalarType('JSON', {
  description: 'Any JSON value.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  serialize: (value) => value,
});

builder.scalarType('Upload', {
  description: 'A file, sent by a multipart request (graphql-multipart-request-spec).',
  specifiedByURL: 'https://github.com/jaydenseric/graphql-multipart-request-spec',
  serialize: () => refuse('Upload', 'used for input only'),
  ...parsing((value) => (value instanceof File ? value : refuse('Upload', 'a file of a multipart request'))),
});

/** Positions of errors in literals lead to their argument path. */
function parsing<Value>(parseValue: (value: unknown) => Value) {
  const parseLiteral = (node: ValueNode) => {
    try {
      return parseValue(valueFromASTUntyped(node));
    } catch (error) {
      throw new GraphQLError((error as Error).message, { nodes: node });
    }
  };
  return { parseValue, parseLiteral };
}

function refuse(scalar: string, expected: string): never {
  throw new GraphQLError(`${scalar} must be ${expected}`);
}
