import fc from 'fast-check';
import { openApiDocument } from '../../rest/openapi.ts';
import { routes } from '../../rest/routes.ts';
import { schema } from '../../src/schema.ts';
import type { EntityKind } from '../../src/platform/entities.ts';
import type { FuzzRequest } from './request.ts';
import { usually, text, valuesNamed } from './values.ts';

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
}

interface Operation {
  parameters: { name: string; in?: 'path' | 'query'; required: boolean; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, unknown>;
}

/** Excluded endpoints: they end the shared session, send mails, or never end their response. */
const excludedRoutes = new Set([
  '/api/v1/user/logout',
  '/api/v1/user',
  '/api/v1/user/password',
  '/api/v1/user/sessions',
  '/api/v1/user/sessions/{id}',
  '/api/v2/workspaces/{id}/invitations',
  '/api/v1/user/password/send-otp',
  '/api/v1/user/password/reset',
  '/api/v1/user/signup/send-otp',
  '/api/v2/events',
]);

const owners: Record<string, EntityKind> = {
  '/api/v2/todo': 'Task',
  '/api/v2/tag': 'Tag',
  '/api/v2/projects': 'Project',
  '/api/v2/comments': 'Comment',
  '/api/v2/workspaces': 'Workspace',
};
const ownerOf = (path: string): EntityKind | undefined => {
  const [, kind] = Object.entries(owners).find(([prefix]) => path.startsWith(prefix)) ?? [];
  return kind;
};

function valueOf(name: string, schema: JsonSchema, owner: EntityKind | undefined): fc.Arbitrary<unknown> {
  const choices = Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : schema.anyOf;
  if (choices) {
    const weightedChoices = choices.map((choice) => ({
      weight: choice.type === 'null' ? 1 : 4,
      arbitrary: valueOf(name, choice, owner),
    }));
    return fc.oneof(...weightedChoices);
  }
  if (schema.type === 'null') return fc.constant(null);
  const { properties, items } = schema;
  if (properties) return objectOf(schema, owner);
  const namedValues = valuesNamed(name, owner);
  if (namedValues) return usually(namedValues);
  if (schema.enum) return usually(fc.constantFrom(...schema.enum));
  if (items) return usually(fc.array(valueOf('', items, owner), { maxLength: 5 }));
  switch (schema.type) {
    case 'boolean':
      return usually(fc.boolean());
    case 'number':
    case 'integer':
      return usually(fc.integer({ min: -10, max: 50_000 }));
    default:
      return usually(text);
  }
}

/** An object with some of the properties, usually with all required ones. */
function objectOf(schema: JsonSchema, owner: EntityKind | undefined): fc.Arbitrary<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema;
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
  const parametersIn = (place: string) => operation.parameters.filter((parameter) => parameter.in === place);
  const query = {
    properties: Object.fromEntries(parametersIn('query').map(({ name, schema }) => [name, schema])),
    required: parametersIn('query').flatMap(({ name, required }) => (required ? [name] : [])),
  };
  const names = parametersIn('path').map(({ name }) => name);
  const [type, content] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  return fc
    .record({
      path: fc.tuple(...names.map((name) => valuesNamed(name, owner) ?? text)),
      query: objectOf(query, owner),
      body: content ? usually(valueOf('', content.schema, owner)) : fc.constant(undefined),
    })
    .map((parts) => ({
      kind: 'rest',
      name: `${method.toUpperCase()} ${path}`,
      statuses: Object.keys(operation.responses).map(Number),
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/g, ':$1'),
      parameters: Object.fromEntries(names.map((name, index) => [name, parts.path[index]])),
      query: parts.query,
      body: parts.body,
      multipart: type === 'multipart/form-data',
    }));
}

const { paths } = openApiDocument(schema, routes) as {
  paths: Record<string, Record<string, Operation>>;
};

export const restRequests: fc.Arbitrary<FuzzRequest> = fc.oneof(
  ...Object.entries(paths)
    .filter(([path]) => !excludedRoutes.has(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => requestOf(path, method, operation)),
    ),
);
