import { GraphQLError } from 'graphql';
import type { RateLimitPolicy } from './rate-limit-policies.ts';

/** Every error code that a client can meet, over GraphQL (`extensions.code`) and REST (`code`) alike. */
export const errorCodes = {
  VALIDATION_FAILED: { status: 400, meaning: 'An argument is missing or cannot be accepted; `errors` names each.' },
  CURSOR_EXPIRED: { status: 400, meaning: 'The cursor is unknown or older than the change log: fetch anew.' },
  UNAUTHENTICATED: { status: 401, meaning: 'There is no session, or it has ended.' },
  FORBIDDEN: { status: 403, meaning: 'The caller sees the resource but may not do this.' },
  REAUTHENTICATION_REQUIRED: {
    status: 403,
    meaning: 'The session was authenticated more than ten minutes ago: sign in again, then repeat the request.',
  },
  SECOND_FACTOR_REQUIRED: { status: 403, meaning: 'The password is right, but `totp` is missing: send both.' },
  NOT_FOUND: { status: 404, meaning: 'It does not exist, or the caller may not see it.' },
  IDEMPOTENCY_KEY_IN_USE: {
    status: 409,
    meaning: 'A mutation with the same idempotency key is still under way: try again after `retryAfter` seconds.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'The idempotency key was used for another request.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many attempts; `retryAfter` says in how many seconds to try again.' },
  SUBSCRIBER_TOO_SLOW: {
    status: 429,
    meaning: 'Ends a subscription whose changes come faster than they are taken: resume from its last cursor.',
  },
  GOING_AWAY: { status: 503, meaning: 'Ends a subscription as the service stops: resume from its last cursor.' },
  UNAVAILABLE: {
    status: 503,
    meaning:
      'The database is unavailable, or the service is overloaded; `retryAfter` says in how many seconds to try again.',
  },
  INTERNAL: { status: 500, meaning: 'A fault of the service; it has been logged under the request id.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** One thing wrong with the input: the argument's path, and what would be right, as the end of a sentence. */
export interface InputProblem {
  path: string;
  message: string;
}

/** An error that the client is meant to see; anything else is masked as INTERNAL. */
export class TaskgateError extends GraphQLError {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { ...extensions, code } });
    this.code = code;
  }
}

/** Input that cannot be accepted; `problems` has at least one entry. */
export class ValidationError extends TaskgateError {
  readonly problems: InputProblem[];

  constructor(problems: InputProblem[]) {
    super('VALIDATION_FAILED', describe(problems), { errors: problems });
    this.problems = problems;
  }
}

/** Wrong in the request itself, not in its document or its variables: 400 with every media type (GraphQL over HTTP, 6.4.1). */
export class MalformedRequest extends ValidationError {}

/** Says the problems in one sentence, each with its path. */
export const describe = (problems: InputProblem[]) =>
  problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');

export const invalid = (path: string, message: string) => new ValidationError([{ path, message }]);
export const unauthenticated = () => new TaskgateError('UNAUTHENTICATED', 'Sign in first');
export const cursorExpired = () =>
  new TaskgateError('CURSOR_EXPIRED', 'The cursor is unknown or older than the change log: fetch anew');
export const forbidden = (message: string) => new TaskgateError('FORBIDDEN', message);
export const reauthenticationRequired = () =>
  new TaskgateError('REAUTHENTICATION_REQUIRED', 'Sign in again first: the last time was more than ten minutes ago');
export const secondFactorRequired = () =>
  new TaskgateError('SECOND_FACTOR_REQUIRED', 'A code of the authenticator app, or a recovery code, is needed as totp');
export const notFound = (what: string) => new TaskgateError('NOT_FOUND', `${what} not found`);

/** @throws NOT_FOUND where a look-up found nothing */
export function orNotFound<Row>(row: Row | null | undefined, what: string): Row {
  if (row === null || row === undefined) throw notFound(what);
  return row;
}

/** A limit that clients are held to was met: what makes one names it, for the headers, the security log and the metrics. */
export class RateLimitError extends TaskgateError {
  readonly policy: RateLimitPolicy;
  /** Whole seconds, 1 or more. */
  readonly retryAfter: number;
  /** Who has met it, in the limit's own terms; never shown. Undefined: the caller. */
  readonly subject: string | undefined;

  constructor(policy: RateLimitPolicy, message: string, { retryAfter, subject }: RefusalOptions) {
    const seconds = Math.max(1, Math.ceil(retryAfter));
    super('RATE_LIMITED', message, { retryAfter: seconds });
    this.policy = policy;
    this.retryAfter = seconds;
    this.subject = subject;
  }
}

interface RefusalOptions {
  /** Seconds until the next attempt can succeed. */
  retryAfter: number;
  subject?: string | undefined;
}

/** @param policy of the limit that was met; its name is no secret: clients see it in `RateLimit` */
export const rateLimited = (policy: RateLimitPolicy, message: string, options: RefusalOptions) =>
  new RateLimitError(policy, message, options);

/**
 * For what the service cannot do at the moment, through no fault of the caller's. Nothing of it has happened; only of a write
 * whose connection to the database broke nobody knows: docs/operations.md, When the database is unavailable.
 * @param retryAfter seconds after which it is worth trying again
 */
export const unavailable = (message: string, retryAfter = 1) =>
  new TaskgateError('UNAVAILABLE', message, { retryAfter: Math.max(1, Math.ceil(retryAfter)) });
