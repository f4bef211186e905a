import { z } from 'zod';
import { errorCodes } from '../src/kernel/errors.ts';
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
  properties?: Record<string, object>;
  required?: string[];
}

const statusNames: Record<number, string> = Object.fromEntries(
  Object.values(errorCodes).map(({ status, meaning }) => [status, meaning]),
);

/** Of endpoints that answer 429. */
const limitedPaths = ['/api/v1/user/signup/send-otp', '/api/v1/user/signin', '/api/v1/user/password'];

/** Statuses that an endpoint can answer besides its success (contract, part 7). */
function errorStatuses({ auth, path, input, method }: Route): number[] {
  const { body, query } = input.shape;
  const limited = limitedPaths.includes(path);
  return [
    ...((body ?? query) ? [400] : []),
    ...(auth === 'session' ? [401] : []),
    ...(path.includes(':') ? [404] : []),
    ...(path === '/api/v2/projects' && method === 'post' ? [403] : []),
    ...(path === '/api/v2/projects/:id' && method === 'delete' ? [403] : []),
    ...(limited ? [429] : []),
    500,
  ];
}

function parameters(place: 'path' | 'query', shape: z.ZodType | undefined) {
  if (!shape) return [];
  const { properties = {}, required = [] } = jsonSchema(shape) as ObjectSchema;
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
  }));
}

function operation(row: Route) {
  const { path, query, body } = row.input.shape;
  const [, , , subject = ''] = row.path.split('/');
  const type = row.body === 'multipart' ? 'multipart/form-data' : 'application/json';
  const errors = errorStatuses(row).map((status) => [
    status,
    {
      description: statusNames[status],
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    },
  ]);
  return {
    summary: row.summary,
    tags: [subject],
    security: row.auth === 'session' ? [{ session: [] }] : [],
    parameters: [...parameters('path', path), ...parameters('query', query)],
    ...(body && { requestBody: { required: true, content: { [type]: { schema: jsonSchema(body) } } } }),
    responses: {
      [row.status ?? 200]: { description: 'Success.', content: { 'application/json': { schema: { type: 'object' } } } },
      ...(Object.fromEntries(errors) as object),
    },
  };
}

/** The one endpoint that is no row: it does not answer once, but goes on. */
const events = {
  summary: 'Streams changes as Server-Sent Events; `Last-Event-ID` resumes',
  tags: ['changes'],
  security: [{ session: [] }],
  parameters: [{ name: 'Last-Event-ID', in: 'header', required: false, schema: { type: 'string' } }],
  responses: {
    200: { description: 'Events named `task`, each with its cursor as id.', content: { 'text/event-stream': {} } },
  },
};

/** The OpenAPI document of the rows: paths, inputs and errors. */
export function openApiDocument(routes: readonly Route[], publicUrl: string): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const row of routes) {
    const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [row.method]: operation(row) };
  }
  paths['/api/v2/events'] = { get: events };
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
