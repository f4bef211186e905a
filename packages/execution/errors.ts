import { type ExecutionResult, GraphQLError } from 'graphql';
import { type InputProblem, log, TaskgateError, unavailable } from '@taskgate/base';
import { isUnavailable, logFailure, UnansweredError } from '@taskgate/postgres';

/** Codes of errors that are not a `TaskgateError`. */
const ownCodes: readonly unknown[] = ['INTERNAL', 'UNAVAILABLE', 'VALIDATION_FAILED'];

/**
 * Document and variable errors become VALIDATION_FAILED with `extensions.errors`. Internal errors are logged with the
 * request id and masked as INTERNAL.
 */
export function presentable(error: unknown, requestId: string): GraphQLError {
  if (!(error instanceof GraphQLError)) return maskOf(error, requestId);
  const shown = asShown(error);
  if (shown) return shown;
  const { extensions, message } = maskOf(originOf(error), requestId);
  return withExtensions(error, extensions, message);
}

export const withPresentable = (result: ExecutionResult, { requestId }: { requestId: string }): ExecutionResult => ({
  ...result,
  errors: result.errors?.map((error) => presentable(error, requestId)),
});

export function codeOf(error: unknown): string {
  const isGraphql = error instanceof GraphQLError;
  const shown = isGraphql && asShown(error);
  if (shown) return shown.extensions['code'] as string;
  return isUnavailable(isGraphql ? originOf(error) : error) ? 'UNAVAILABLE' : 'INTERNAL';
}

/** Makes a thrown error the result of an operation. {@link presentable} masks it. */
export const failedResult = (error: unknown): ExecutionResult => ({
  errors: [error instanceof GraphQLError ? error : new GraphQLError('it failed', { originalError: error as Error })],
});

/** Undefined if clients must not see it. */
function asShown(error: GraphQLError): GraphQLError | undefined {
  const origin = originOf(error);
  if (origin instanceof TaskgateError) return error;
  return origin instanceof GraphQLError && !isOwnFault(error, origin) ? asValidation(error) : undefined;
}

function maskOf(cause: unknown, requestId: string): GraphQLError {
  if (isUnavailable(cause)) {
    logFailure(cause, 'the database is not available', { requestId });
    if (cause instanceof UnansweredError) {
      return unavailable('The outcome is unknown: retry with the same Idempotency-Key to find out');
    }
    return unavailable('The service cannot do this at the moment: try again in a moment');
  }
  log.error({ requestId, error: cause }, 'an operation failed');
  return new GraphQLError('Internal error', { extensions: { code: 'INTERNAL', requestId } });
}

export function originOf(error: GraphQLError): unknown {
  const inner: unknown = error.originalError;
  return inner instanceof GraphQLError ? originOf(inner) : (inner ?? error);
}

/** A resolver returned a value that its scalar or enum refuses. */
const isOwnFault = (error: GraphQLError, origin: GraphQLError) =>
  error.extensions['unexpected'] === true ||
  (error.path !== undefined &&
    origin.constructor === GraphQLError &&
    !origin.nodes &&
    !ownCodes.includes(origin.extensions['code']));

function asValidation(error: GraphQLError): GraphQLError {
  const { code, ...extensions } = error.extensions;
  if (ownCodes.includes(code) && (code !== 'VALIDATION_FAILED' || extensions['errors'])) return error;
  // Otherwise the whole document or request is wrong.
  const problem: InputProblem = { path: error.source ? 'query' : '', message: error.message };
  return withExtensions(error, { ...extensions, errors: [problem], code: 'VALIDATION_FAILED' });
}

const withExtensions = (error: GraphQLError, extensions: Record<string, unknown>, message = error.message) => {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
};
