import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { GraphQLError, type ValueNode, valueFromASTUntyped } from 'graphql';
import { getDatamodel, type default as PrismaTypes } from '../generated/pothos.ts';
import type { Context } from '../kernel/context.ts';
import '../nested-read/columns-plugin.ts';
import { rowsFor } from '../nested-read/read.ts';
import { formatDate, parseDate, parseDateTime } from '../kernel/dates.ts';

/** The schema builder. It defines what belongs to no module: scalars and the two roots. */
export const builder = new SchemaBuilder<{
  Context: Context;
  PrismaTypes: PrismaTypes;
  DefaultFieldNullability: false;
  Scalars: {
    ID: { Input: string; Output: string };
    DateTime: { Input: Date; Output: Date };
    Date: { Input: Date; Output: Date };
    JSON: { Input: unknown; Output: unknown };
    Upload: { Input: File; Output: never };
  };
}>({
  plugins: ['columns', PrismaPlugin],
  defaultFieldNullability: false,
  prisma: { client: rowsFor, dmmf: getDatamodel(), onUnusedQuery: null },
});

/** The types of the builder: for what names one of its references. */
export type SchemaTypes = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer Types> ? Types : never;

/** For a mutation that ignores idempotency keys: its response is never stored. @param reason why not */
export const ignoresIdempotencyKey = (reason: string) => ({ extensions: { ignoresIdempotencyKey: reason } });

/** Whether a list goes through all rows that it could show, by its arguments as a client gave them: see `cost.ts`. */
export type Scans = (args: Readonly<Record<string, unknown>>) => boolean;

builder.queryType({ description: 'What can be read. Everything but `viewer` needs a session.' });
builder.mutationType({
  description: 'What can be changed. Each mutation is one transaction: all of it happens, or nothing.',
});

builder.scalarType('DateTime', {
  description:
    'A moment, ISO 8601 in UTC with milliseconds: `2026-11-20T10:00:00.000Z`. Input without an offset is UTC.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/date-time.html',
  serialize: (value) => value.toISOString(),
  ...parsing((value) => parseDateTime(value) ?? refuse('DateTime', 'an ISO 8601 date and time')),
});

builder.scalarType('Date', {
  description: 'A day of the calendar: `2026-11-20`.',
  specifiedByURL: 'https://scalars.graphql.org/andimarek/local-date.html',
  serialize: formatDate,
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
  serialize: () => refuse('Upload', 'used for input alone'),
  ...parsing((value) => (value instanceof File ? value : refuse('Upload', 'a file of a multipart request'))),
});

/** Takes literals as values; their errors have a place, by which the path of an argument is known. */
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
