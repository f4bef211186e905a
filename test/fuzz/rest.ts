import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../../rest/route.ts';
import { routes } from '../../rest/routes.ts';
import type { Entity } from '../../src/kernel/ids.ts';
import type { FuzzRequest } from './request.ts';
import { mostly, text, valuesNamed } from './values.ts';

interface JsonSchema {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
}

/** Endpoints that are left out: they end the session that all other requests need, or send mails without end. */
const leftOut = new Set(['/api/v1/user/logout', '/api/v1/user/password', '/api/v1/user/signup/send-otp']);

const ownerOf = (path: string): Entity | undefined => {
  if (path.startsWith('/api/v2/todo')) return 'Task';
  if (path.startsWith('/api/v2/tag')) return 'Tag';
  return path.startsWith('/api/v2/projects') ? 'Project' : undefined;
};

function valueOf(name: string, schema: JsonSchema, owner: Entity | undefined): fc.Arbitrary<unknown> {
  const { properties, items } = schema;
  if (properties) return objectOf(properties, owner);
  const named = valuesNamed(name, owner);
  if (named) return mostly(named);
  if (schema.enum) return mostly(fc.constantFrom(...schema.enum));
  if ('const' in schema) return mostly(fc.constant(schema.const));
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(name, choice, owner)));
  if (items) return mostly(fc.array(valueOf('', items, owner), { maxLength: 5 }));
  switch (schema.type) {
    case 'boolean':
      return mostly(fc.boolean());
    case 'number':
    case 'integer':
      return mostly(fc.integer({ min: -10, max: 50_000 }));
    case 'null':
      return fc.constant(null);
    default:
      return mostly(text);
  }
}

/** An object with some of the properties. */
function objectOf(properties: Record<string, JsonSchema>, owner: Entity | undefined): fc.Arbitrary<unknown> {
  const all = Object.entries(properties);
  return fc
    .subarray(all)
    .chain((some) => fc.record(Object.fromEntries(some.map(([name, schema]) => [name, valueOf(name, schema, owner)]))));
}

function partOf(shape: z.ZodType | undefined, owner: Entity | undefined): fc.Arbitrary<unknown> {
  if (!shape) return fc.constant(undefined);
  const schema = z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  const parts = [schema, ...(schema.allOf ?? [])].map(({ properties = {} }) => properties);
  return objectOf(Object.assign({}, ...parts) as Record<string, JsonSchema>, owner);
}

function requestOf(row: Route): fc.Arbitrary<FuzzRequest> {
  const owner = ownerOf(row.path);
  const { query, body } = row.input.shape;
  const names = [...row.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
  const path = fc.tuple(...names.map((name) => valuesNamed(name, owner) ?? text));
  return fc.record({ path, query: partOf(query, owner), body: mostly(partOf(body, owner)) }).map((parts) => ({
    kind: 'rest',
    name: `${row.method.toUpperCase()} ${row.path}`,
    method: row.method.toUpperCase(),
    path: row.path,
    parameters: Object.fromEntries(names.map((name, index) => [name, parts.path[index]])),
    query: (parts.query ?? {}) as Record<string, unknown>,
    body: body ? parts.body : undefined,
    multipart: row.body === 'multipart',
  }));
}

/** Requests to every endpoint of the route table, mostly well formed. */
export const restRequests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...routes.filter(({ path }) => !leftOut.has(path)).map(requestOf),
);
