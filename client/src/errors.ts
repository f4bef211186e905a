/**
 * Error code: one of the service (docs/graphql.md, Errors), which may add others, or of the client. `NETWORK_ERROR`: there was no response,
 * and the outcome of a write is unknown. `UNEXPECTED_RESPONSE`: the response is not the service's, but perhaps a proxy's. `STORAGE_FAILED`:
 * the replica's storage rejected a write.
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

/** An error in one part of a request. */
export interface FieldError {
  /** Argument, such as `input.title`, or field of a body. */
  readonly path: string;
  readonly message: string;
}

/** An error without its stack, for storage and other tabs. */
export interface ErrorDetails {
  readonly code: ErrorCode;
  readonly message: string;
  /** HTTP status, if there was an HTTP response. */
  readonly status?: number;
  /** Seconds before a retry, if the service requires them. */
  readonly retryAfter?: number;
  /** Invalid fields, for `VALIDATION_FAILED`. */
  readonly errors?: readonly FieldError[];
  /** Identifies the request in the service's log. */
  readonly requestId?: string;
}

/** The only error class of this package. Aborted requests reject with the reason of their signal instead. */
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

  /** @returns a serializable form */
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

/** Whether the same request may succeed later. */
export const isTransient = ({ code, status = 0 }: TaskgateError): boolean =>
  transientCodes.has(code) || (code === 'UNEXPECTED_RESPONSE' && status >= 500);

/** A GraphQL error from any transport. REST has the same fields at the top of its body. */
export interface GraphqlErrorBody {
  readonly message: string;
  readonly extensions?: Partial<Omit<ErrorDetails, 'message' | 'status'>>;
}

/** Converts the first GraphQL error. */
export const fromGraphql = (errors: readonly GraphqlErrorBody[], status?: number): TaskgateError => {
  const [{ message, extensions } = { message: 'The response has no data' }] = errors;
  return new TaskgateError({ code: 'UNEXPECTED_RESPONSE', ...extensions, message, status });
};
