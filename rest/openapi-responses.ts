import { type ErrorCode, errorCodes } from '../src/kernel/errors.ts';
import { json } from '../src/http/media-types.ts';
import { type JsonSchema, reference } from './json-schema.ts';

const text = (description: string, example: string) => ({ description, schema: { type: 'string' }, example });

export const headers = {
  'X-Request-Id': text('Names the request in the log of the service.', '7d6f2a0e-3c55-4a7c-9a64-0b8a3f0e1c57'),
  ETag: text('Names this state of the response: with `If-None-Match` the same is answered 304.', 'W/"1f-2b"'),
  RateLimit: text(
    'What is left of the limit that is nearest: its name, requests, and seconds until it is whole (draft-ietf-httpapi-ratelimit-headers).',
    '"account";r=599;t=1',
  ),
  'RateLimit-Policy': text('That limit: its name, requests, and seconds.', '"account";q=600;w=60'),
  'Retry-After': {
    description: 'Seconds after which to try again (RFC 9110, 10.2.3).',
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  'X-Operation-Id': text(
    'The operation of the history that the write was; absent where it changed nothing.',
    'op_01jd9h3v8xf5ka2q4c7m0e6w9r',
  ),
  'Idempotency-Replayed': text('`true` where this is the response of an earlier request of the same key.', 'true'),
  Location: text('Where the browser goes on.', '/today'),
  'Set-Cookie': text(
    'The session; HTTP-only. A browser keeps it, and sends it with each request.',
    'sid=s%3AY0x2.mVt4; Path=/; HttpOnly; SameSite=Lax',
  ),
} as const;

/** References to headers, as a response has them. */
export const headersOf = (...names: (keyof typeof headers)[]) =>
  Object.fromEntries(names.map((name) => [name, reference('headers', name)]));

/** Any request can meet them: there is no endpoint without a bound for its query, a limit, or a database. */
export const anywhere: readonly ErrorCode[] = ['VALIDATION_FAILED', 'RATE_LIMITED', 'INTERNAL', 'UNAVAILABLE'];

/** Every response has them. */
export const commonHeaders = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const;

/** The body of every error (contract, part 7). */
export const errorSchema: JsonSchema = {
  type: 'object',
  description: 'Why a request was refused.',
  required: ['message', 'code'],
  properties: {
    message: {
      type: 'string',
      description: 'A sentence for people.',
      examples: ['title is required and must be a string'],
    },
    code: { type: 'string', description: 'For programs.', enum: Object.keys(errorCodes) },
    errors: {
      type: 'array',
      description: 'Of VALIDATION_FAILED: what is wrong, each with the field that it is wrong with.',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: {
            type: 'string',
            description: 'Name of the field; empty: the request as a whole.',
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

/** NOT_FOUND is `NotFound`. */
const pascal = (code: ErrorCode) =>
  code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** Responses of errors, each once: those of a status with the same codes are one. */
export class ErrorResponses {
  readonly responses: Record<string, object> = {};

  /** References to the responses of codes, by their statuses. */
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
