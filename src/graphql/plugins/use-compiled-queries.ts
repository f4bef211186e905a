import { getOperationAST } from 'graphql';
import { schemaToExecute } from '../../nested-read/compiled-query.ts';
import type { ExecutionPlugin } from '../envelop.ts';

/** Executes lists of rows on a schema that serializes them without a call for each field. */
export const useCompiledQueries = (): ExecutionPlugin => ({
  onExecute({ args }) {
    const operation = getOperationAST(args.document, args.operationName);
    if (operation) args.schema = schemaToExecute(args.schema, args.document, operation);
  },
});
