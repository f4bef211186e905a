import type { Request, Response } from 'express';
import { type ExecutionResult, type GraphQLSchema, OperationTypeNode } from 'graphql';
import { type OperationRequest, requireAccountOf } from '../graphql/check-operation.ts';
import { codeOf, presentable } from '../graphql/errors.ts';
import { storedPart } from '../graphql/stored-responses.ts';
import { type Context, refreshViewer } from '../kernel/context.ts';
import { type ErrorCode, invalid, unavailable } from '../kernel/errors.ts';
import { headersOfKey, keyOfOperation, runUnderKey, setOperationId } from '../http/idempotency.ts';
import { callerOf } from '../http/request-limits.ts';
import { noteRequest } from '../http/request-observation.ts';
import { sendFinished } from '../http/response-cache.ts';
import type { CheckCallersOperation } from './counted-operations.ts';

/** Characters of results after which no further operation is begun: each may be as long as a response by itself. */
const maxLength = 4 * 1024 * 1024;

/** Errors of the operation itself, which another try would meet again: those after it continue. */
const finalCodes = new Set<ErrorCode>([
  'VALIDATION_FAILED',
  'CURSOR_EXPIRED',
  'FORBIDDEN',
  'NOT_FOUND',
  'IDEMPOTENCY_KEY_REUSED',
]);

interface BatchOptions {
  schema: GraphQLSchema;
  checkOperation: CheckCallersOperation;
}

/** What an operation gives; its errors are not yet presentable. */
type Result = Omit<ExecutionResult, 'errors'> & { errors?: readonly unknown[] };

/** A request with several operations, of which each has the idempotency key of its `extensions`. */
export interface Batch {
  request: Request;
  response: Response;
  /** Media type of the response, one of JSON. */
  type: string;
  context: Context;
  operations: readonly unknown[];
}

/**
 * Executes the operations of a request in their order: the response is a list of their results. After an error that another try may mend, nothing more
 * is done: who sends the rest again keeps its order.
 * @throws VALIDATION_FAILED if the request has one key for all of them; VALIDATION_FAILED or UNAUTHENTICATED if one of them names no
 * account, or another account than the caller's: nothing is executed then
 */
export function batchResponses({ schema, checkOperation }: BatchOptions) {
  async function resultOf(
    { request, response }: Batch,
    parameters: OperationRequest,
    context: Context,
  ): Promise<ExecutionResult> {
    const checked = checkOperation(parameters, callerOf(context, response));
    if (checked.errors) return { errors: checked.errors };
    const { document, operation } = checked;
    const { operation: type } = operation;
    noteRequest(request, { operation: { type, name: checked.operationName } });
    if (type === OperationTypeNode.SUBSCRIPTION) throw invalid('query', 'must not be a subscription in a batch');
    if (type === OperationTypeNode.MUTATION && storedPart(schema, document, operation) !== 'all') {
      throw invalid('query', 'must not have mutations of sessions and passwords in a batch');
    }
    const key = context.viewer ? keyOfOperation(schema, checked, parameters) : undefined;
    return runUnderKey({ schema, ...checked, contextValue: context }, key);
  }

  return async (batch: Batch): Promise<void> => {
    const { request, response, type, context, operations } = batch;
    if (headersOfKey(request))
      throw invalid('Idempotency-Key', 'must be in extensions.idempotencyKey of each operation');
    // One operation of another account refuses them all: nothing of the request has happened.
    for (const operation of operations as (OperationRequest | null)[])
      requireAccountOf(operation?.extensions, context.viewer?.id);
    const results: string[] = [];
    let length = 0;
    let isOver = false;
    for (const parameters of operations as OperationRequest[]) {
      const own = { ...context };
      const execute = async () => {
        if (isOver || length > maxLength) throw unavailable('Retry the earlier operation of this batch first');
        // Those before it may have changed what its caller may see.
        if (results.length > 0) await refreshViewer(own);
        return resultOf(batch, parameters, own);
      };
      const { errors: thrown, ...result }: Result = await execute().catch((error: unknown) => ({ errors: [error] }));
      setOperationId(response, result.extensions?.['operationId']);
      const errors = thrown?.map((error) => presentable(error, context.requestId));
      isOver ||= errors?.some((error) => !finalCodes.has(codeOf(error))) ?? false;
      const text = JSON.stringify(errors ? { errors, ...result } : result);
      length += text.length;
      results.push(text);
    }
    sendFinished(response, { type: `${type}; charset=utf-8`, body: Buffer.from(`[${results.join(',')}]`) });
  };
}
