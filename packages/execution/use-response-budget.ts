import { OperationTypeNode } from 'graphql';
import { currentTransaction } from '@taskgate/postgres';
import { maxResponseBytes, ResponseBudget } from '@taskgate/work';
import { pauseOf } from './context.ts';
import { codeOf } from './errors.ts';
import type { ExecutionPlugin } from './envelop.ts';
import { jsonSize } from './json-size.ts';
import { operationTypeOf } from './named-operation.ts';

/** Smaller responses are soon in the buffers of the operating system. */
const bufferedBytes = 64 * 1024;

/**
 * Limits the memory of a response. A refused query has no `data`. For a mutation `data` is null, because it has
 * happened.
 */
export const useResponseBudget = (): ExecutionPlugin => ({
  onExecute({ context, executeFn, setExecuteFn }) {
    setExecuteFn(async (args) => {
      const isQuery = operationTypeOf(args) === OperationTypeNode.QUERY;
      const { viewer, maxResponseBytes: maxBytes } = context;
      // Anonymous reads are short, and a keyed operation completes in its transaction.
      const { signal, hangUpSignal } = (viewer && !currentTransaction() && context.cancellation) || {};
      // A committed mutation is always reported, so only a hang-up cancels its reads.
      const budget = new ResponseBudget(maxBytes, isQuery ? signal : hangUpSignal, {
        owner: viewer?.id,
        isPatient: !isQuery,
        requiredState: isQuery ? (viewer ?? undefined) : undefined,
      });
      if (viewer) context.viewer = { ...viewer, budget, signal };
      let sent: Promise<unknown> | undefined;
      try {
        if (context.whenSent) budget.requireRoom();
        const result = await executeFn(args);
        const bytes = await jsonSize(result.data, maxResponseBytes, pauseOf(context));
        budget.countResponseBytes(bytes);
        const mayBeUnread = context.whenSent !== undefined && bytes > bufferedBytes;
        if (mayBeUnread) budget.keepUnsent(bytes);
        const { refusal } = budget;
        if (refusal) return { ...result, data: isQuery ? undefined : null, errors: [refusal] };
        // As if it was not executed.
        if (isQuery && result.data === null && result.errors?.some((error) => codeOf(error) === 'UNAVAILABLE')) {
          return { errors: result.errors };
        }
        if (mayBeUnread || budget.isHolding) sent = context.whenSent?.();
        return result;
      } finally {
        // A response without data does not wait for fields that are still reading.
        if (sent) void sent.then(() => budget.release());
        else budget.release();
      }
    });
  },
});
