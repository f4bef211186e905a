import { GraphQLError } from 'graphql';

/** `message` completes a sentence that begins with `path`. */
export interface InputProblem {
  path: string;
  message: string;
}

/** An error for the client. All others are masked as INTERNAL. */
export class TaskgateError extends GraphQLError {
  /** In GraphQL's `extensions.code` and REST's `code`. */
  readonly code: string;

  constructor(code: string, message: string, extensions: Record<string, unknown> = {}) {
    super(message, { extensions: { ...extensions, code } });
    this.code = code;
  }
}

export class ValidationError extends TaskgateError {
  readonly problems: InputProblem[];

  constructor(problems: InputProblem[]) {
    super('VALIDATION_FAILED', describeProblems(problems), { errors: problems });
    this.problems = problems;
  }
}

/** @throws {ValidationError} if there are problems */
export function requireNone(problems: InputProblem[]): void {
  if (problems.length > 0) throw new ValidationError(problems);
}

/** A fault of the request itself: 400 with every media type (GraphQL over HTTP, 6.4.1). */
export class MalformedRequest extends ValidationError {}

export const describeProblems = (problems: InputProblem[]) =>
  problems.map(({ path, message }) => (path ? `${path} ${message}` : message)).join('; ');

export const invalid = (path: string, message: string) => new ValidationError([{ path, message }]);

export const unauthenticated = () => new TaskgateError('UNAUTHENTICATED', 'Sign in first');

/**
 * The refused work has not happened, unless the connection broke during a write (docs/operations.md).
 * @param retryAfter seconds
 */
export const unavailable = (message: string, retryAfter = 1) =>
  new TaskgateError('UNAVAILABLE', message, { retryAfter: Math.max(1, Math.ceil(retryAfter)) });
