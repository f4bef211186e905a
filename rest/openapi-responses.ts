import { json } from '@taskgate/http';
import { type ErrorCode, errorCodes } from '../src/platform/errors.ts';
import { type JsonSchema, reference } from './json-schema.ts';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

export const headers = {
  'X-Request-Id': text("Id of the request in the service's log.", '7d6f2a0e-3c55-4a7c-9a64-0b8a3f0e1c57'),
  ETag: text(
    'Identifies this version of the response. Send it as `If-None-Match` to receive 304 if nothing has changed.',
    'W/"1f-2b"',
  ),
  RateLimit: text(
    'The limit that is closest to being reached: its name, remaining requests, and seconds until it resets (draft-ietf-httpapi-ratelimit-headers).',
    '"account";r=599;t=1',
  ),
  'RateLimit-Policy': text(
    'The same limit: its name, quota of requests, and window in seconds.',
    '"account";q=600;w=60',
  ),
  'Retry-After': {
    description: 'Seconds to wait before a retry (RFC 9110, 10.2.3).',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'X-Operation-Id': text(
    'Id of the write in the history. Absent if it changed nothing.',
    'op_01jd9h3v8xf5ka2q4c7m0e6w9r',
  ),
  'Idempotency-Replayed': text('`true` if this is the response to an earlier request with the same key.', 'true'),
  Location: text('URL that the browser continues to.', '/today'),
  'Set-Cookie': text(
    'The HTTP-only session cookie. Browsers send it with each request.',
    'sid=s%3AY0x2.mVt4; Path=/; HttpOnly; SameSite=Lax',
  ),
} as const;

export const headersOf = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]));

/** Every endpoint has limits, and needs the database. */
export const anywhere: readonly ErrorCode[] = ['VALIDATION_FAILED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];

export const commonHeaders = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const;

/** Contract, part 7. */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'Why a request was refused.',
  required: ['message', 'code'],
  properties: {
    message: {
      type: 'string',
      description: 'The reason as a sentence for people.',
      examples: ['title is required and must be a string'],
    },
    code: { type: 'string', description: 'The reason for programs.', enum: Object.keys(errorCodes) },
    errors: {
      type: 'array',
      description: 'Problems of a VALIDATION_FAILED request, each with its field.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'Name of the field. Empty if the whole request is wrong.',
            examples: ['title'],
          },
          message: { type: 'string', examples: ['is required and must be a string'] },
        },
      },
    },
  },
};

const exampleOf = (code: ErrorCode) => ({
  message: errorCodes[code].meaning,
  code,
  ...(code === 'VALIDATION_FAILED' && { errors: [{ path: 'title', message: 'is required and must be a string' }] }),
});

const pascal = (code: ErrorCode) =>
  code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** Shares one response between equal sets of codes. */
export class ErrorResponses {
  readonly responses: Record<string, object> = {};

  of(some: readonly ErrorCode[]): Record<string, object> {
    const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => some.includes(code));
    const statuses = [...new Set(codes.map((code) => errorCodes[code].status))].sort((one, other) => one - other);
    return Object.fromEntries(
      statuses.map((status) => [
        String(status),
        this.#response(codes.filter((code) => errorCodes[code].status === status)),
      ]),
    );
  }

  #response(codes: readonly ErrorCode[]) {
    const name = codes.map(pascal).join('Or');
    const isPaused = codes.some((code) => ['RATE_LIMITED', 'UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'].includes(code));
    this.responses[name] ??= {
      description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join('\n\n'),
      headers: headersOf('X-Request-Id', ...(isPaused ? (['Retry-After'] as const) : [])),
      content: {
        [json]: {
          schema: {
            allOf: [reference('schemas', 'Error'), { properties: { code: { enum: [...codes] } } }],
          },
          examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
        },
      },
    };
    return reference('responses', name);
  }
}
