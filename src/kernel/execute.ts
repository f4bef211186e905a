import { type DocumentNode, execute, GraphQLError, type GraphQLSchema } from 'graphql';
import type { Context } from './context.ts';
import { TaskgateError } from './errors.ts';
import { log } from './logger.ts';

/**
 * Makes an error fit to be shown: those meant for the client pass, those of a document or its
 * variables become VALIDATION_FAILED, and any other is logged under the request's id and masked.
 */
export function presentable(error: unknown, requestId: string): GraphQLError {
  if (error instanceof TaskgateError) return error;
  if (error instanceof GraphQLError) {
    if (error.originalError instanceof TaskgateError) return error;
    if (!error.originalError || error.originalError instanceof GraphQLError) {
      return withCode(error, { code: 'VALIDATION_FAILED', ...error.extensions });
    }
  }
  const cause = error instanceof GraphQLError ? error.originalError : error;
  log.error({ requestId, error: cause }, 'an operation failed');
  const masked = new GraphQLError('Internal error', { extensions: { code: 'INTERNAL', requestId } });
  return error instanceof GraphQLError ? withCode(error, masked.extensions, masked.message) : masked;
}

const withCode = (error: GraphQLError, extensions: Record<string, unknown>, message = error.message) =>
  new GraphQLError(message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions,
  });

/**
 * Runs an operation of the service's own (a validated document) and answers its data.
 * @throws the first error, made presentable
 */
export async function executeOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  variableValues: Record<string, unknown>,
  contextValue: Context,
): Promise<unknown> {
  const { data, errors } = await execute({ schema, document, variableValues, contextValue });
  const [error] = errors ?? [];
  if (!error) return data;
  throw error.originalError instanceof TaskgateError ? error.originalError : presentable(error, contextValue.requestId);
}
