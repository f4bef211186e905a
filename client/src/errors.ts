/**
 * What went wrong, in one word: a code of the service (docs/graphql.md, Errors), which may add others at any time, or one of the
 * client's own. `NETWORK_ERROR`: there was no answer, so that nobody knows whether a write has happened. `UNEXPECTED_RESPONSE`: the
 * answer is none of the service's, such as a proxy's page. `STORAGE_FAILED`: the replica's storage did not take it.
 */
export type ErrorCode =
  | 'VALIDATION_FAILED'
  | 'CURSOR_EXPIRED'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'REAUTHENTICATION_REQUIRED'
  | 'SECOND_FACTOR_REQUIRED'
  | 'NOT_FOUND'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'RATE_LIMITED'
  | 'SUBSCRIBER_TOO_SLOW'
  | 'GOING_AWAY'
  | 'UNAVAILABLE'
  | 'INTERNAL'
  | 'NETWORK_ERROR'
  | 'UNEXPECTED_RESPONSE'
  | 'STORAGE_FAILED'
  | (string & Record<never, never>);

/** What is wrong with one part of a request. */
export interface FieldError {
  /** Of the argument, such as `input.title`, or of the field of a body. */
  readonly path: string;
  readonly message: string;
}

/** An error without its stack, as it is stored and sent to other tabs. */
export interface ErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status, where there was an answer over HTTP. */
  readonly status?: number;
  /** Seconds after which to try again, where the service says so. */
  readonly retryAfter?: number;
  /** Of `VALIDATION_FAILED`: what is wrong with which field. */
  readonly errors?: readonly FieldError[];
  /** By which the operator finds it in the service's log. */
  readonly requestId?: string;
}

/** The one class of errors of this package. A request that is aborted rejects with the reason of its signal instead. */
export class TaskgateError extends Error implements ErrorDetails {
  override readonly name = 'TaskgateError';
  readonly code: ErrorCode;
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;
  readonly errors: readonly FieldError[];
  readonly requestId: string | undefined;

  constructor({ code, message, status, retryAfter, errors = [], requestId }: ErrorDetails, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.errors = errors;
    this.requestId = requestId;
  }

  /** @returns what can be stored, and made an error again */
  toJSON(): ErrorDetails {
    const { code, message, status, retryAfter, errors, requestId } = this;
    return { code, message, status, retryAfter, errors, requestId };
  }
}

const transientCodes = new Set<ErrorCode>([
  'NETWORK_ERROR',
  'UNAVAILABLE',
  'GOING_AWAY',
  'RATE_LIMITED',
  'IDEMPOTENCY_KEY_IN_USE',
]);

/** Whether the same request may succeed later without anything being changed. */
export const isTransient = ({ code, status = 0 }: TaskgateError): boolean =>
  transientCodes.has(code) || (code === 'UNEXPECTED_RESPONSE' && status >= 500);

/** An error of GraphQL as it comes over any transport; REST has the same fields at the top of its body. */
export interface GraphqlErrorBody {
  readonly message: string;
  readonly extensions?: Partial<Omit<ErrorDetails, 'message' | 'status'>>;
}

/** The error that GraphQL's first one tells. */
export const fromGraphql = (errors: readonly GraphqlErrorBody[], status?: number): TaskgateError => {
  const [{ message, extensions } = { message: 'The answer has no data' }] = errors;
  return new TaskgateError({ code: 'UNEXPECTED_RESPONSE', ...extensions, message, status });
};
