import fc from 'fast-check';
import { openApiDocument } from '../../rest/openapi.ts';
import { routes } from '../../rest/routes.ts';
import { schema } from '../../src/schema.ts';
import type { Entity } from '../../src/kernel/ids.ts';
import type { FuzzRequest } from './request.ts';
import { mostly, text, valuesNamed } from './values.ts';

/** What is read of the schemas of OpenAPI 3.0. */
interface JsonSchema {
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

interface Operation {
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

/**
 * Endpoints that are left out: they end the session that all other requests need, send mails without end, or answer
 * without end.
 */
const leftOut = new Set([
  '/api/v1/user/logout',
  '/api/v1/user/password',
  '/api/v1/user/signup/send-otp',
  '/api/v2/events',
]);

const ownerOf = (path: string): Entity | undefined => {
  if (path.startsWith('/api/v2/todo')) return 'Task';
  if (path.startsWith('/api/v2/tag')) return 'Tag';
  return path.startsWith('/api/v2/projects') ? 'Project' : undefined;
};

function valueOf(name: string, schema: JsonSchema, owner: Entity | undefined): fc.Arbitrary<unknown> {
  const { nullable, ...same } = schema;
  if (nullable) return fc.oneof({ weight: 4, arbitrary: valueOf(name, same, owner) }, fc.constant(null));
  const { properties, items, allOf } = schema;
  if (properties ?? allOf) return objectOf(schema, owner);
  const named = valuesNamed(name, owner);
  if (named) return mostly(named);
  if (schema.enum) return mostly(fc.constantFrom(...schema.enum));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(name, choice, owner)));
  if (items) return mostly(fc.array(valueOf('', items, owner), { maxLength: 5 }));
  switch (schema.type) {
    case 'boolean':
      return mostly(fc.boolean());
    case 'number':
    case 'integer':
      return mostly(fc.integer({ min: -10, max: 50_000 }));
    default:
      return mostly(text);
  }
}

/** All properties of an object and what it must have, whatever parts its schema is put together of. */
function partsOf({
  properties = {},
  required = [],
  allOf = [],
}: JsonSchema): Required<Pick<JsonSchema, 'properties' | 'required'>> {
  const parts = allOf.map(partsOf);
  return {
    properties: Object.assign({}, properties, ...parts.map((part) => part.properties)) as Record<string, JsonSchema>,
    required: [...required, ...parts.flatMap((part) => part.required)],
  };
}

/** An object with some of the properties, mostly those among them that it must have. */
function objectOf(schema: JsonSchema, owner: Entity | undefined): fc.Arbitrary<Record<string, unknown>> {
  const { properties, required } = partsOf(schema);
  const all = Object.entries(properties);
  const isRequired = ([name]: [string, JsonSchema]) => required.includes(name);
  const others = all.filter((each) => !isRequired(each));
  return fc
    .oneof(
      { weight: 5, arbitrary: fc.subarray(others).map((some) => [...all.filter(isRequired), ...some]) },
      { weight: 1, arbitrary: fc.subarray(all) },
    )
    .chain((some) => fc.record(Object.fromEntries(some.map(([name, each]) => [name, valueOf(name, each, owner)]))));
}

function requestOf(path: string, method: string, operation: Operation): fc.Arbitrary<FuzzRequest> {
  const owner = ownerOf(path);
  const inPlace = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const query = {
    properties: Object.fromEntries(inPlace('query').map(({ name, schema }) => [name, schema])),
    required: inPlace('query').flatMap(({ name, required }) => (required ? [name] : [])),
  };
  const names = inPlace('path').map(({ name }) => name);
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return fc
    .record({
      path: fc.tuple(...names.map((name) => valuesNamed(name, owner) ?? text)),
      query: objectOf(query, owner),
      body: content ? mostly(valueOf('', content.schema, owner)) : fc.constant(undefined),
    })
    .map((parts) => ({
      kind: 'rest',
      name: `${method.toUpperCase()} ${path}`,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      parameters: Object.fromEntries(names.map((name, index) => [name, parts.path[index]])),
      query: parts.query,
      body: parts.body,
      multipart: type === 'multipart/form-data',
    }));
}

const { paths } = openApiDocument(schema, routes, 'http://127.0.0.1') as {
  paths: Record<string, Record<string, Operation>>;
};

/** Requests to every endpoint of the OpenAPI document, mostly well formed. */
export const restRequests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...Object.entries(paths)
    .filter(([path]) => !leftOut.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => requestOf(path, method, operation)),
    ),
);
