import type { IncomingMessage } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import type { GraphQLError } from 'graphql';
import { originOf, presentable } from '../graphql/errors.ts';
import { CallerGone } from '../kernel/cancellation.ts';
import {
  type ErrorCode,
  errorCodes,
  invalid,
  RateLimitError,
  TaskgateError,
  ValidationError,
} from '../kernel/errors.ts';
import { sendFinished } from './response-cache.ts';
import { graphqlResponseTypes, json } from './media-types.ts';
import { notJson } from './json-limits.ts';
import { compressed, maxJsonBytes, tooLarge } from './request-body.ts';
import { standingHeaders } from './request-limits.ts';

/** What HTTP itself has to say of a request, by its own status. */
export class HttpError extends ValidationError {
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(status: number, path: string, message: string, headers: Record<string, string> = {}) {
    super([{ path, message }]);
    this.status = status;
    this.headers = headers;
  }
}

export const unknownPath = () => new TaskgateError('NOT_FOUND', 'There is no such endpoint');

const hangUpCodes = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether an error only says that the client has hung up, which is no fault. */
function isHangUp(error: unknown, { socket }: IncomingMessage): boolean {
  if (error instanceof CallerGone) return true;
  if (!socket.destroyed || !(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return hangUpCodes.has(code) || error.name === 'AbortError';
}

/** Errors of Express and of its parsers are the request's fault: 400, or 404 for a file that is not there. */
function asRequestError(error: unknown): unknown {
  if (error instanceof TaskgateError) return error;
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number') || error.status >= 500)
    return error;
  if (error.status === 404) return unknownPath();
  if (error.status === 413) return tooLarge(maxJsonBytes);
  // Only readers of bodies give their errors a type.
  if (!('type' in error)) return invalid('path', 'must be well-formed');
  return error.type === 'encoding.unsupported' ? compressed() : invalid('body', notJson);
}

/** The status of an error on its own, without data. */
export function statusOf(error: GraphQLError): number {
  const origin = originOf(error);
  return origin instanceof HttpError ? origin.status : errorCodes[error.extensions['code'] as ErrorCode].status;
}

/**
 * What headers say of an error: its `extensions.retryAfter`, in seconds (RFC 9110, 10.2.3), which limit was met, and to whom nobody
 * is signed in, how programs come in (RFC 9110, 11.6.1).
 */
export function headersOf(error: GraphQLError): Record<string, string> {
  const origin = originOf(error);
  const { code, retryAfter } = error.extensions;
  return {
    ...(origin instanceof HttpError && origin.headers),
    ...(code === 'UNAUTHENTICATED' && { 'WWW-Authenticate': 'Bearer' }),
    ...(typeof retryAfter === 'number' && { 'Retry-After': String(retryAfter) }),
    ...(origin instanceof RateLimitError &&
      standingHeaders({ policy: origin.policy, remaining: 0, resetSeconds: origin.retryAfter })),
  };
}

export interface ErrorForm {
  typeFor: (request: Request) => string;
  bodyOf: (error: Pick<GraphQLError, 'message' | 'extensions'>) => object;
}

/** The contract's, part 7. */
export const restForm: ErrorForm = {
  typeFor: () => json,
  bodyOf: ({ message, extensions: { code, errors } }) => ({ message, code, ...(errors !== undefined && { errors }) }),
};

/** Of a request to GraphQL that does not come to an operation. */
export const graphqlForm: ErrorForm = {
  typeFor: (request) => request.accepts(graphqlResponseTypes) || json,
  bodyOf: ({ message, extensions }) => ({ errors: [{ message, extensions }] }),
};

/** Answers every error, those of Express itself and of files that are not there too. */
export const errorHandler =
  ({ typeFor, bodyOf }: ErrorForm): ErrorRequestHandler =>
  (error, request, response, _next) => {
    if (isHangUp(error, request)) return void response.destroy();
    const shown = presentable(asRequestError(error), request.id);
    // A response that has begun cannot become another one: it is broken off, which the client sees.
    if (response.headersSent) return void response.destroy();
    // It is the state of nothing that was read.
    response.removeHeader('ETag');
    response.status(statusOf(shown)).set({ ...headersOf(shown), 'Cache-Control': 'no-store' });
    const body = Buffer.from(JSON.stringify(bodyOf(shown)));
    sendFinished(response, { type: `${typeFor(request)}; charset=utf-8`, body });
  };

export const refuseSubpaths: RequestHandler = ({ path }, _response, next) =>
  next(path === '/' ? undefined : unknownPath());

/** For what nothing has answered: an unknown path, or a known one with a method that it lacks. */
export const onUnknownPath: RequestHandler = (_request, _response, next) => next(unknownPath());
