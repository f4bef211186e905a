import { OperationTypeNode } from 'graphql';
import { unlessAborted } from '../../kernel/cancellation.ts';
import { refreshViewer } from '../../kernel/context.ts';
import { FairQueue } from '../../kernel/fair-queue.ts';
import { inSpan } from '../../kernel/tracing.ts';
import { resultOf } from '../errors.ts';
import { type ExecutionPlugin, typeOf } from '../envelop.ts';

declare module '../../kernel/services.ts' {
  interface Services {
    queries: FairQueue;
  }
}

declare module '../../kernel/context.ts' {
  interface Context {
    /** The viewer may have changed in a wait before the execution. */
    hasWaited?: boolean;
    /** Default: true for queries. */
    takesTurn?: boolean;
  }
}

export const queryPolicy = { name: 'queries', slots: Infinity, slotsPerKey: 2, idle: 'all' } as const;

export const queryTurns = () => new FairQueue(queryPolicy);

/**
 * Lets queries of an account take turns. After a wait, the viewer is read again. A refusal or failure is the result.
 */
export const useTurn = (): ExecutionPlugin => ({
  onExecute({ executeFn, setExecuteFn }) {
    setExecuteFn(async (args) => {
      const context = args.contextValue;
      const isQuery = typeOf(args) === OperationTypeNode.QUERY;
      const { viewer, services, takesTurn = isQuery } = context;
      const execute = async (hasWaited = false) => {
        if (context.hasWaited || hasWaited) await inSpan('viewer', () => refreshViewer(context));
        return executeFn(args);
      };
      try {
        if (!viewer || !takesTurn) return await execute();
        const { signal } = context.cancellation;
        const options = { signal, isOfRequest: isQuery, isPatient: !isQuery };
        const { hasWaited, leave } = await inSpan('turn', () => services.queries.enter(viewer.id, options));
        return await unlessAborted(execute(hasWaited).finally(leave), signal);
      } catch (error) {
        return resultOf(error);
      }
    });
  },
});
