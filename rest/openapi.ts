import type { GraphQLSchema } from 'graphql';
import { z } from 'zod';
import { type ErrorCode, errorCodes } from '../src/kernel/errors.ts';
import { eventStream, form, json } from '../src/transport/media-types.ts';
import { keepsAnswers } from './operation.ts';
import type { Route } from './route.ts';

/** JSON Schema of what a client sends: what zod turns it into does not matter here. */
const jsonSchema = (shape: z.ZodType) =>
  z.toJSONSchema(shape, {
    io: 'input',
    target: 'openapi-3.0',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema: schema }) => {
      if (zodSchema instanceof z.ZodCustom) Object.assign(schema, { type: 'string', format: 'binary' });
    },
  });

interface ObjectSchema {
  properties?: Record<string, { description?: string }>;
  required?: string[];
}

/** The code of each status; 429 and 400 have others too, of streams and of cursors. */
const codes = {
  400: 'VALIDATION_FAILED',
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'IDEMPOTENCY_KEY_IN_USE',
  422: 'IDEMPOTENCY_KEY_REUSED',
  429: 'RATE_LIMITED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
} as const satisfies Record<number, ErrorCode>;

type ErrorStatus = keyof typeof codes;

/** Statuses that an endpoint can answer besides its success (contract, part 7). */
function errorStatuses({ auth, path, input, errors = [] }: Route, isKept: boolean): ErrorStatus[] {
  return [
    ...(Object.keys(input.shape).length > 0 ? ([400] as const) : []),
    ...(auth === 'session' ? ([401] as const) : []),
    ...(path.includes(':') ? ([404] as const) : []),
    ...errors,
    ...(isKept ? ([409, 422] as const) : []),
    429,
    500,
    503,
  ];
}

const response = (description: string, schema: object = { type: 'object' }): object => ({
  description,
  content: { [json]: { schema } },
});

const responseOrEvents = (events: string): object => ({
  description: `Success. To who accepts events: ${events}`,
  content: { [json]: { schema: { type: 'object' } }, [eventStream]: {} },
});

const errorSchema = { $ref: '#/components/schemas/Error' };

const errorResponses = (statuses: readonly ErrorStatus[]): Record<string, object> =>
  Object.fromEntries(statuses.map((status) => [status, response(errorCodes[codes[status]].meaning, errorSchema)]));

function parameters(place: 'path' | 'query', shape: z.ZodType | undefined) {
  if (!shape) return [];
  const { properties = {}, required = [] } = jsonSchema(shape) as ObjectSchema;
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

/** What every write takes whose answer is kept (docs/idempotency.md). */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Makes retries safe: the first answer is given again for 24 hours, with `Idempotency-Replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
};

/** What every stream of events takes, as `EventSource` sends it. */
const lastEventId = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'Id of the last event that the client has: the stream goes on from there. It goes before `after`.',
  schema: { type: 'string' },
};

function operation(row: Route, isKept: boolean) {
  const { path, query, body } = row.input.shape;
  const [, , , subject = ''] = row.path.split('/');
  const type = row.body === 'multipart' ? form : json;
  return {
    summary: row.summary,
    tags: [subject],
    security: row.auth === 'session' ? [{ session: [] }] : [],
    parameters: [
      ...parameters('path', path),
      ...parameters('query', query),
      ...(isKept ? [idempotencyKey] : []),
      ...(row.events === undefined ? [] : [lastEventId]),
    ],
    ...(body && { requestBody: { required: true, content: { [type]: { schema: jsonSchema(body) } } } }),
    responses: {
      [row.status ?? 200]: row.events === undefined ? response('Success.') : responseOrEvents(row.events),
      ...errorResponses(errorStatuses(row, isKept)),
    },
  };
}

/** The one endpoint that is no row: it does not answer once, but goes on. */
const events = {
  summary: 'Streams changes as Server-Sent Events; `Last-Event-ID` resumes',
  tags: ['changes'],
  security: [{ session: [] }],
  parameters: [{ name: 'after', in: 'query', required: false, schema: { type: 'string' } }, lastEventId],
  responses: {
    200: { description: 'Events named `task`, each with its cursor as id.', content: { [eventStream]: {} } },
    ...errorResponses([400, 401, 429, 500, 503]),
  },
};

/** No row either, as it runs no operation: it is sent while it is read. */
const exported = {
  summary: "All of the caller's own data as one JSON document (an addition to the contract)",
  tags: ['export'],
  security: [{ session: [] }],
  parameters: [],
  responses: {
    200: response(
      '`user`, `preferences`, and the lists `sessions`, `invitations`, `workspaces`, `projects`, `sections`, `tags`, `todos`.',
    ),
    ...errorResponses([400, 401, 429, 500, 503]),
  },
};

/** The OpenAPI document of the rows: paths, inputs and errors. */
export function openApiDocument(schema: GraphQLSchema, routes: readonly Route[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of routes) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method]: operation(row, keepsAnswers(schema, row)) };
  }
  paths['/api/v2/events'] = { get: events };
  paths['/api/v2/export'] = { get: exported };
  return {
    openapi: '3.0.3',
    info: {
      title: 'Taskgate REST API',
      version: '2',
      description: 'Tasks, projects, sections and tags, behind a session cookie.',
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: 'sid' } },
      schemas: {
        Error: {
          type: 'object',
          required: ['message', 'code'],
          properties: {
            message: { type: 'string' },
            code: { type: 'string', enum: Object.keys(errorCodes) },
            errors: {
              type: 'array',
              items: { type: 'object', properties: { path: { type: 'string' }, message: { type: 'string' } } },
            },
          },
        },
      },
    },
  };
}
