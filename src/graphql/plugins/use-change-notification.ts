import { OperationTypeNode } from 'graphql';
import { type ExecutionPlugin, operationTypeOf } from '@taskgate/execution';
import type { Context } from '../../platform/context.ts';

/** Announces the spaces that a mutation has changed, after its commit. */
export const useChangeNotification = (): ExecutionPlugin<Context> => ({
  onExecute({ args, context }) {
    const { viewer, services } = context;
    if (!viewer || operationTypeOf(args) !== OperationTypeNode.MUTATION) return;
    context.viewer = { ...viewer, written: new Set([viewer.id]) };
    return {
      onExecuteDone() {
        const { written } = context.viewer ?? {};
        if (written) services.notifyChanged({ spaces: [...written] });
      },
    };
  },
});
