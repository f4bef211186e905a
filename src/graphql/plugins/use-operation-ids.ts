import type { ExecutionPlugin } from '@taskgate/execution';
import type { Context } from '../../platform/context.ts';

/** Adds the ids of the operation's writes to the extensions. */
export const useOperationIds = (): ExecutionPlugin<Context> => ({
  onExecute({ context }) {
    if (!context.viewer) return;
    const operationIds: string[] = [];
    context.viewer = { ...context.viewer, operations: operationIds };
    return {
      onExecuteDone({ result, setResult }) {
        const operationId = operationIds.at(-1);
        if (operationId === undefined) return;
        const ids = { operationId, ...(operationIds.length > 1 && { operationIds }) };
        setResult({ ...result, extensions: { ...result.extensions, ...ids } });
      },
    };
  },
});
