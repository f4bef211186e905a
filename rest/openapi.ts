import { createRequire } from 'node:module';
import { Router } from 'express';
import { type GraphQLSchema, Kind } from 'graphql';
import type { z } from 'zod';
import { eventStream, form, json } from '@taskgate/http';
import { storesResponses, takesTokens } from '../src/door/index.ts';
import type { ErrorCode } from '../src/platform/errors.ts';
import { Components, reference } from './json-schema.ts';
import { anywhere, commonHeaders, ErrorResponses, errorSchema, headers, headersOf } from './openapi-responses.ts';
import type { EventsOfRoute, RawRoute, Route, Row } from './route.ts';

const { version } = createRequire(import.meta.url)('#package.json') as { version: string };

const tags = {
  user: 'Accounts, sessions, profile and preferences (contract, 4.1 and 4.2).',
  projects: 'Projects and their sections (contract, 4.3).',
  todo: 'Tasks (contract, 4.4).',
  tag: 'Tags (contract, 4.5).',
  changes: 'The change log of tasks, as pages and as a stream. An addition to the contract.',
  operations: 'Operation history and undo. An addition to the contract.',
  trash: 'Deleted entities and their restoration. An addition to the contract.',
  sync: "Replicas of the caller's data. An addition to the contract.",
  workspaces: 'Workspaces, their members and invitations. An addition to the contract.',
  mails: 'Reminders, the digest and the delivery of mails. An addition to the contract.',
  export: "Export of the caller's data. An addition to the contract.",
} as const;

type Tag = keyof typeof tags;

function tagOf(path: string): Tag {
  const [, , , subject = ''] = path.split('/');
  if (subject in tags) return subject as Tag;
  const others: Record<string, Tag> = {
    events: 'changes',
    invitations: 'workspaces',
    digest: 'mails',
    deliveries: 'mails',
  };
  return others[subject] ?? 'user';
}

/** Contract, part 7. */
const codesOf = ({ auth, method, path, errors = [] }: Row, isStored: boolean): ErrorCode[] => [
  ...(auth === 'session' ? (['UNAUTHENTICATED'] as const) : []),
  ...(path.includes(':') ? (['NOT_FOUND'] as const) : []),
  // Roles and access tokens limit writes.
  ...(auth === 'session' && method !== 'get' ? (['FORBIDDEN', 'CLAIM_LOST'] as const) : []),
  ...errors,
  ...(isStored ? (['IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ...anywhere,
];

const parameters = {
  AccountId: {
    name: 'X-Account-Id',
    in: 'header',
    required: false,
    'x-addition': true,
    description:
      'Id of the account that the request is for. If the session belongs to another account, the response is 401 and nothing is done.',
    schema: { type: 'string' },
  },
  Account: {
    name: 'account',
    in: 'query',
    required: false,
    'x-addition': true,
    description: 'Like `X-Account-Id`, for links and event sources, which cannot send headers.',
    schema: { type: 'string' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    'x-addition': true,
    description: 'Makes retries safe: the first response is replayed for 24 hours, with `Idempotency-Replayed: true`.',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
  ClaimFence: {
    name: 'X-Claim-Fence',
    in: 'header',
    required: false,
    'x-addition': true,
    description:
      'Fence of a claim of the caller. The write is done only if the claim is in force. Otherwise: `CLAIM_LOST`.',
    schema: { type: 'string', pattern: '^[0-9]{1,18}$' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    'x-addition': true,
    description: 'The `ETag` of a response that the client has. The response is 304 if it has not changed.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    'x-addition': true,
    description:
      'Id of the last event that the client has received. The stream continues from there. It takes precedence over `after`.',
    schema: { type: 'string' },
  },
} as const;

class Reference {
  readonly #components = new Components();
  readonly #errors = new ErrorResponses();

  document(schema: GraphQLSchema, rows: readonly Row[]): object {
    const paths: Record<string, Record<string, object>> = {};
    for (const row of rows) {
      const path = row.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = { ...paths[path], [row.method]: this.#operation(schema, row) };
    }
    return {
      openapi: '3.1.0',
      info: {
        title: 'Taskgate REST API',
        version,
        contact: { name: 'Taskgate contributors' },
        license: { name: 'MIT', identifier: 'MIT' },
        description: [
          'Tasks, projects, sections and tags. Sign up or sign in, and send the session cookie with each request.',
          'Programs send an access token instead (`createAccessToken` in the GraphQL API), if the operation has that security scheme.',
          'Additions to the documented contract have `x-addition: true`.',
        ].join('\n\n'),
      },
      servers: [{ url: '/', description: 'The service that serves this document.' }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'sid', description: 'Set by sign-up and sign-in.' },
          token: {
            type: 'http',
            scheme: 'bearer',
            'x-addition': true,
            description: 'An access token. The scope READ allows reads, WRITE allows writes.',
          },
        },
        headers,
        parameters,
        responses: this.#errors.responses,
        schemas: { Error: errorSchema, ...this.#components.schemas },
      },
    };
  }

  #operation(schema: GraphQLSchema, row: Row) {
    const isStored = !row.raw && storesResponses(schema, row.document);
    const isForTokens = row.raw ? row.takesTokens : takesTokens(schema, row.document);
    const isConditional = row.raw ? row.isConditional : row.method === 'get';
    const { path, query, body } = row.input.shape;
    return {
      operationId: row.raw ? row.operationId : operationIdOf(row),
      summary: row.summary,
      description: row.description,
      tags: [tagOf(row.path)],
      ...(row.isAddition && { 'x-addition': true }),
      security: row.auth === 'session' ? [{ session: [] }, ...(isForTokens ? [{ token: [] }] : [])] : [],
      parameters: [
        ...this.#parameters('path', path),
        ...this.#parameters('query', query),
        ...(row.auth === 'session' ? [reference('parameters', 'AccountId')] : []),
        // Links and event sources cannot send headers.
        ...(row.events || (row.raw && row.auth === 'session') ? [reference('parameters', 'Account')] : []),
        ...(isConditional ? [reference('parameters', 'IfNoneMatch')] : []),
        ...(isStored ? [reference('parameters', 'IdempotencyKey'), reference('parameters', 'ClaimFence')] : []),
        ...(row.events ? [reference('parameters', 'LastEventId')] : []),
      ],
      ...(body && !row.raw && { requestBody: this.#requestBody(row, body) }),
      responses: {
        ...(row.raw ? this.#rawSuccess(row) : this.#success(row, isStored)),
        ...(isConditional && {
          304: { description: 'The client has this response already.', headers: headersOf('ETag') },
        }),
        ...this.#errors.of(codesOf(row, isStored)),
      },
    };
  }

  #requestBody(row: Route, body: z.ZodType) {
    const type = row.body === 'multipart' ? form : json;
    return { required: true, content: { [type]: { schema: this.#components.schemaOf(body) } } };
  }

  #success(row: Route, isStored: boolean) {
    const names = [
      ...commonHeaders,
      ...(row.method === 'get' ? (['ETag'] as const) : []),
      ...(row.method !== 'get' && row.auth === 'session' ? (['X-Operation-Id'] as const) : []),
      ...(isStored ? (['Idempotency-Replayed'] as const) : []),
      ...(row.setsCookie ? (['Set-Cookie'] as const) : []),
    ];
    return {
      [row.status ?? 200]: {
        description: row.events ? `Success. With \`Accept: ${eventStream}\`: ${row.events.description}` : 'Success.',
        headers: headersOf(...names),
        content: this.#content(row),
      },
    };
  }

  #rawSuccess(row: RawRoute) {
    if (row.redirect) {
      const { description, cookie } = row.redirect;
      const setCookie = { description: cookie, schema: { type: 'string' } };
      return { 302: { description, headers: { ...headersOf(...commonHeaders, 'Location'), 'Set-Cookie': setCookie } } };
    }
    return {
      200: {
        description: row.events ? 'A stream that continues until the client or the service ends it.' : 'Success.',
        headers: headersOf(...commonHeaders, ...(row.isConditional ? (['ETag'] as const) : [])),
        content: this.#content(row),
      },
    };
  }

  #content({ response, events }: Pick<RawRoute, 'response' | 'events'>) {
    return {
      ...(response && { [json]: { schema: this.#components.schemaOf(response) } }),
      ...(events && { [eventStream]: this.#stream(events) }),
    };
  }

  /** Event streams are text: the schema describes `data` separately. */
  #stream({ event, data, description }: EventsOfRoute) {
    const ends = 'Before the service ends the stream it sends an event `end` with an error; resume from the last id.';
    return {
      schema: {
        type: 'string',
        description: `Events named \`${event}\`. ${description} ${ends}`,
        contentMediaType: json,
        contentSchema: this.#components.schemaOf(data),
      },
    };
  }

  #parameters(place: 'path' | 'query', shape: z.ZodType | undefined) {
    if (!shape) return [];
    const { properties = {}, required = [] } = this.#components.schemaOf(shape);
    return Object.entries(properties).map(([name, property]) => {
      // No parameter can be null.
      const { description, ...schema } = typeof property === 'boolean' ? {} : (property.anyOf?.[0] ?? property);
      return {
        name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(description !== undefined && { description }),
        ...(schema.type === 'array' && { style: 'form', explode: false }),
        schema,
      };
    });
  }
}

function operationIdOf({ document, path }: Route): string {
  const operation = document.definitions.find((each) => each.kind === Kind.OPERATION_DEFINITION);
  const name = operation?.name?.value;
  if (name === undefined) throw new Error(`the document of ${path} has no name`);
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** OpenAPI 3.1. */
export const openApiDocument = (schema: GraphQLSchema, rows: readonly Row[]): object =>
  new Reference().document(schema, rows);

export const openApiPath = '/api/openapi.json';

export function openApi(schema: GraphQLSchema, rows: readonly Row[]): Router {
  let document: object | undefined;
  return Router().get(openApiPath, (_request, response) => {
    document ??= openApiDocument(schema, rows);
    response.json(document);
  });
}
