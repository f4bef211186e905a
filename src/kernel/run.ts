import { execute, type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql';
import type { Context } from './context.ts';
import { wake } from './wake-ups.ts';

/**
 * Executes a query or mutation for any door. After a mutation, committed by then, it says that the viewer's
 * spaces may have moved: a mutation writes to no others.
 */
export async function run(args: ExecutionArgs): Promise<ExecutionResult> {
  const result = await execute(args);
  const { viewer } = args.contextValue as Context;
  const operation = getOperationAST(args.document, args.operationName);
  if (viewer && operation?.operation === 'mutation') wake({ spaces: viewer.spaceIds });
  return result;
}
