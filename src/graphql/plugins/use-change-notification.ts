import { OperationTypeNode } from 'graphql';
import { type ExecutionPlugin, operationTypeOf } from '@taskgate/execution';
import type { Context } from '../../platform/context.ts';

/** After the commit of a mutation, announces the spaces that it changed. */
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
