import { OperationTypeNode } from 'graphql';
import { type ExecutionPlugin, typeOf } from '../envelop.ts';

/** After the commit of a mutation, announces the spaces that it changed. */
export const useChangeNotification = (): ExecutionPlugin => ({
  onExecute({ args, context }) {
    const { viewer, services } = context;
    if (viewer) context.viewer = { ...viewer, written: new Set([viewer.id]) };
    if (typeOf(args) !== OperationTypeNode.MUTATION) return;
    return {
      onExecuteDone() {
        const { written } = context.viewer ?? {};
        if (written) services.notifyChanged({ spaces: [...written] });
      },
    };
  },
});
