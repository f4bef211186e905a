import { OperationTypeNode } from 'graphql';
import { inSpan } from '@taskgate/base';
import { FairQueue, unlessAborted } from '@taskgate/work';
import { refreshViewer } from './context.ts';
import { failedResult } from './errors.ts';
import type { ExecutionPlugin } from './envelop.ts';
import { operationTypeOf } from './named-operation.ts';

export const queryPolicy = { name: 'queries', slots: Infinity, slotsPerKey: 2, idle: 'all' } as const;

export const queryTurns = () => new FairQueue(queryPolicy);

/**
 * Lets queries of an account take turns. An error becomes a result, because Envelop skips `onExecuteDone` after a
 * rejection.
 */
export const useTurn = (): ExecutionPlugin => ({
  onExecute({ context, executeFn, setExecuteFn }) {
    setExecuteFn(async (args) => {
      const isQuery = operationTypeOf(args) === OperationTypeNode.QUERY;
      const { viewer, services, takesTurn = isQuery } = context;
      const execute = async (hasWaited = false) => {
        if (context.mustRefreshViewer || hasWaited) await inSpan('viewer', () => refreshViewer(context));
        return executeFn(args);
      };
      try {
        if (!viewer || !takesTurn) return await execute();
        const { signal } = context.cancellation;
        const options = { signal, isOfRequest: isQuery, isPatient: !isQuery };
        const { hasWaited, leave } = await inSpan('turn', () => services.queries.enter(viewer.id, options));
        return await unlessAborted(execute(hasWaited).finally(leave), signal);
      } catch (error) {
        return failedResult(error);
      }
    });
  },
});
