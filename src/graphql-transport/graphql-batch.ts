import type { Request, Response } from 'express';
import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { invalid, unavailable } from '@taskgate/base';
import {
  codeOf,
  type Executor,
  failedResult,
  type OperationRequest,
  refreshViewer,
  withPresentable,
} from '@taskgate/execution';
import { storedPart } from '../graphql/stored-responses.ts';
import type { Context } from '../platform/context.ts';
import { keyOfOperation, runUnderKey, setOperationId } from '../http/idempotency.ts';
import { applyFence, fenceOfOperation, headersOfFence, headersOfKey } from '../http/request-values.ts';
import { callerOf } from '../http/request-limits.ts';
import { noteRequest } from '../http/request-observation.ts';
import { sendFinished } from '../http/response-cache.ts';
import type { CheckCallersOperation } from './counted-operations.ts';
import { requireAccountOf } from '../platform/named-account.ts';

/** After so many characters of results, no further operation starts. */
const maxLength = 4 * 1024 * 1024;

/** A retry would repeat these errors, so the batch continues. */
const finalCodes = new Set([
  'VALIDATION_FAILED',
  'CURSOR_EXPIRED',
  'FORBIDDEN',
  'NOT_FOUND',
  'IDEMPOTENCY_KEY_REUSED',
  'TASK_CLAIMED',
  'CLAIM_LOST',
]);

interface BatchOptions {
  executor: Executor<Context>;
  checkOperation: CheckCallersOperation;
}

/** Each operation may have an idempotency key in its `extensions`. */
export interface Batch {
  request: Request;
  response: Response;
  type: string;
  context: Context;
  operations: readonly unknown[];
}

/**
 * Executes operations in order. After an error that a retry may solve, refuses the rest to keep the order.
 * @throws before anything is executed: VALIDATION_FAILED if the request has one key for all; VALIDATION_FAILED or
 *   UNAUTHENTICATED if an operation names another account
 */
export function batchResponses({ executor, checkOperation }: BatchOptions) {
  const { schema } = executor;
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
      throw invalid('query', 'must not contain mutations of sessions and passwords in a batch');
    }
    const { extensions } = parameters;
    applyFence(context, fenceOfOperation(schema, checked, { headers: headersOfFence(request), extensions }));
    const key = context.viewer ? keyOfOperation(schema, checked, parameters) : undefined;
    return runUnderKey(executor, { ...checked, contextValue: context }, key);
  }

  return async (batch: Batch): Promise<void> => {
    const { request, response, type, context, operations } = batch;
    if (headersOfKey(request))
      throw invalid('Idempotency-Key', 'must be in extensions.idempotencyKey of each operation');
    // All are checked before any is executed.
    for (const operation of operations as (OperationRequest | null)[])
      requireAccountOf(operation?.extensions, context.viewer?.id);
    const results: string[] = [];
    let length = 0;
    let isOver = false;
    for (const parameters of operations as OperationRequest[]) {
      const own = { ...context };
      const execute = async () => {
        if (isOver || length > maxLength) throw unavailable('Retry the earlier operation of this batch first');
        // Earlier operations may have changed the viewer's rights.
        if (results.length > 0) await refreshViewer(own);
        return resultOf(batch, parameters, own);
      };
      const { errors, ...result } = withPresentable(await execute().catch(failedResult), context);
      setOperationId(response, result.extensions?.['operationId']);
      isOver ||= errors?.some((error) => !finalCodes.has(codeOf(error))) ?? false;
      const text = JSON.stringify(errors ? { errors, ...result } : result);
      length += text.length;
      results.push(text);
    }
    sendFinished(response, { type: `${type}; charset=utf-8`, body: Buffer.from(`[${results.join(',')}]`) });
  };
}
