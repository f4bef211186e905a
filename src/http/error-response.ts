import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { invalid, TaskgateError, ValidationError } from '@taskgate/base';
import { originOf, presentable } from '@taskgate/execution';
import { compressed, graphqlResponseTypes, json, maxJsonBytes, notJson, tooLarge } from '@taskgate/http';
import { RateLimitError } from '@taskgate/limits';
import { CallerGone } from '@taskgate/work';
import { type ErrorCode, errorCodes, unknownPath } from '../platform/errors.ts';
import { sendFinished } from './response-cache.ts';
import { standingHeaders } from './request-limits.ts';

export class HttpError extends ValidationError {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, path: string, message: string, headers: Record<string, string> = {}) {
    super([{ path, message }]);
    this.status = status;
    this.headers = headers;
  }
}

const hangUpCodes = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

function isHangUp(error: unknown, { socket }: IncomingMessage): boolean {
  if (error instanceof CallerGone) return true;
  if (!socket.destroyed || !(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return hangUpCodes.has(code) || error.name === 'AbortError';
}

/** Errors of Express become 400, or 404 for a missing file. */
function asRequestError(error: unknown): unknown {
  if (error instanceof TaskgateError) return error;
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number') || error.status >= 500)
    return error;
  if (error.status === 404) return unknownPath();
  if (error.status === 413) return tooLarge(maxJsonBytes);
  // Only body parsers set a type.
  if (!('type' in error)) return invalid('path', 'must be well-formed');
  return error.type === 'encoding.unsupported' ? compressed() : invalid('body', notJson);
}

export function statusOf(error: GraphQLError): number {
  const origin = originOf(error);
  return origin instanceof HttpError ? origin.status : errorCodes[error.extensions['code'] as ErrorCode].status;
}

/** `Retry-After` (RFC 9110, 10.2.3), the exceeded quota, and `WWW-Authenticate` (RFC 9110, 11.6.1). */
export function headersOf(error: GraphQLError, challenge = 'Bearer'): Record<string, string> {
  const origin = originOf(error);
  const { code, retryAfter } = error.extensions;
  return {
    ...(origin instanceof HttpError && origin.headers),
    ...(code === 'UNAUTHENTICATED' && { 'WWW-Authenticate': challenge }),
    ...(typeof retryAfter === 'number' && { 'Retry-After': String(retryAfter) }),
    ...(origin instanceof RateLimitError &&
      standingHeaders({ policy: origin.policy, remaining: 0, resetSeconds: origin.retryAfter })),
  };
}

interface ErrorForm {
  typeFor: (request: Request) => string;
  bodyOf: (error: Pick<GraphQLError, 'message' | 'extensions'>) => object;
  /** Challenge of a 401 (RFC 9110, 11.6.1). Default: `Bearer`. */
  challenge?: string;
}

/** Part 7 of the REST contract. */
export const restForm: ErrorForm = {
  typeFor: () => json,
  bodyOf: ({ message, extensions: { code, errors } }) => ({ message, code, ...(errors !== undefined && { errors }) }),
};

/** Clients find the authorization server by the metadata (RFC 9728, 5.1). */
export const mcpForm = (publicUrl: string): ErrorForm => ({
  ...restForm,
  challenge: `Bearer resource_metadata="${publicUrl}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
});

/** Form of errors of GraphQL requests that fail before an operation exists. */
export const graphqlForm: ErrorForm = {
  typeFor: (request) => request.accepts(graphqlResponseTypes) || json,
  bodyOf: ({ message, extensions }) => ({ errors: [{ message, extensions }] }),
};

export const errorHandler =
  ({ typeFor, bodyOf, challenge }: ErrorForm): ErrorRequestHandler =>
  (error, request, response, _next) => {
    if (isHangUp(error, request)) return void response.destroy();
    const shown = presentable(asRequestError(error), request.id);
    // Shows the client that the response is incomplete.
    if (response.headersSent) return void response.destroy();
    response.removeHeader('ETag');
    response.status(statusOf(shown)).set({ ...headersOf(shown, challenge), 'Cache-Control': 'no-store' });
    const body = Buffer.from(JSON.stringify(bodyOf(shown)));
    sendFinished(response, { type: `${typeFor(request)}; charset=utf-8`, body });
  };

export const onlyPost: RequestHandler = ({ method }, _response, next) =>
  next(
    method === 'POST'
      ? undefined
      : new HttpError(405, '', 'This endpoint only supports POST requests.', { Allow: 'POST' }),
  );

export const refuseSubpaths: RequestHandler = ({ path }, _response, next) =>
  next(path === '/' ? undefined : unknownPath());

export const onUnknownPath: RequestHandler = (_request, _response, next) => next(unknownPath());
