import { getOperationAST } from 'graphql';
import { schemaToExecute } from '@taskgate/nested-read';
import type { ExecutionPlugin } from './envelop.ts';

export const useCompiledQueries = (): ExecutionPlugin => ({
  onExecute({ args }) {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation) args.schema = schemaToExecute(args.schema, args.document, operation);
  },
});
