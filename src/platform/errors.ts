import { TaskgateError } from '@taskgate/base';

/** Error codes, in GraphQL's `extensions.code` and REST's `code`. */
export const errorCodes = {
  VALIDATION_FAILED: { status: 400, meaning: 'An argument is missing or invalid; `errors` lists the problems.' },
  CURSOR_EXPIRED: {
    status: 400,
    meaning: 'The cursor is unknown or older than the change log: fetch everything again.',
  },
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
  TASK_CLAIMED: { status: 409, meaning: 'The task is claimed, by the caller or by somebody else.' },
  CLAIM_LOST: {
    status: 409,
    meaning: "The claim has ended, or is not the caller's: nothing was written. Claim a task again.",
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, meaning: 'The idempotency key was used for another request.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many attempts: try again after `retryAfter` seconds.' },
  SUBSCRIBER_TOO_SLOW: {
    status: 429,
    meaning: 'Ends a subscription whose client reads too slowly: resume from the last cursor.',
  },
  GOING_AWAY: { status: 503, meaning: 'Ends a subscription because the service stops: resume from the last cursor.' },
  UNAVAILABLE: {
    status: 503,
    meaning: 'The database is unavailable, or the service is overloaded: try again after `retryAfter` seconds.',
  },
  INTERNAL: { status: 500, meaning: 'A fault of the service; it has been logged under the request id.' },
} as const;

export type ErrorCode = keyof typeof errorCodes;

/** An error with a documented code. */
export const refusal = (code: ErrorCode, message: string, extensions?: Record<string, unknown>) =>
  new TaskgateError(code, message, extensions);

export const cursorExpired = () =>
  refusal('CURSOR_EXPIRED', 'The cursor is unknown or older than the change log: fetch everything again');
export const forbidden = (message: string) => refusal('FORBIDDEN', message);
export const isForbidden = (error: unknown) => error instanceof TaskgateError && error.code === 'FORBIDDEN';
export const reauthenticationRequired = () =>
  refusal('REAUTHENTICATION_REQUIRED', 'Sign in again first: the last time was more than ten minutes ago');
export const secondFactorRequired = () =>
  refusal('SECOND_FACTOR_REQUIRED', 'totp must have a code of the authenticator app, or a recovery code');
export const claimLost = () =>
  refusal('CLAIM_LOST', 'The claim is not in force: nothing was written. Claim a task again');
export const unknownPath = () => refusal('NOT_FOUND', 'There is no such endpoint');
export const notFound = (what: string) => refusal('NOT_FOUND', `${what} not found`);

export function orNotFound<Row>(row: Row | null | undefined, what: string): Row {
  if (row === null || row === undefined) throw notFound(what);
  return row;
}
