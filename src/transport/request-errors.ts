import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { CallerGone } from '../kernel/cancellation.ts';
import { invalid, RateLimitError, TaskgateError } from '../kernel/errors.ts';
import { headersOfRefusal } from './rate-limit-headers.ts';
import { tooLarge, maxJsonBytes } from './request-body.ts';

export const unknownPath = () => new TaskgateError('NOT_FOUND', 'There is no such endpoint');

const hangUpCodes = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Whether an error says no more than that the client has hung up, which is nobody's fault. */
export function isHangUp(error: unknown, { socket }: IncomingMessage): boolean {
  if (error instanceof CallerGone) return true;
  if (!socket.destroyed || !(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return hangUpCodes.has(code) || error.name === 'AbortError';
}

/** Errors of Express and of its parsers are the request's fault: 400, or 404 for a file that is not there. */
export function asRequestError(error: unknown): unknown {
  if (error instanceof TaskgateError) return error;
  if (!(error instanceof Error && 'status' in error && typeof error.status === 'number') || error.status >= 500)
    return error;
  if (error.status === 404) return unknownPath();
  if (error.status === 413) return tooLarge(maxJsonBytes);
  // Only what reads bodies gives its errors a type.
  return 'type' in error
    ? invalid('body', 'must be well-formed JSON in UTF-8')
    : invalid('path', 'must be well-formed');
}

/**
 * What headers say of an error that is answered: `Retry-After` what `extensions.retryAfter` says (RFC 9110, 10.2.3), in
 * seconds, and of a limit that was met which one that is.
 */
export function headersOf(error: GraphQLError): Record<string, string> {
  const { retryAfter } = error.extensions;
  return {
    ...(typeof retryAfter === 'number' && { 'Retry-After': String(retryAfter) }),
    ...(error instanceof RateLimitError && headersOfRefusal(error)),
  };
}
