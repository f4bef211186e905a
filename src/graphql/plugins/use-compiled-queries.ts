import { getOperationAST } from 'graphql';
import { schemaToExecute } from '../../nested-read/compiled-query.ts';
import type { ExecutionPlugin } from '../envelop.ts';

export const useCompiledQueries = (): ExecutionPlugin => ({
  onExecute({ args }) {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation) args.schema = schemaToExecute(args.schema, args.document, operation);
  },
});
