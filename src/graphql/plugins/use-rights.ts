import { type ExecutionCall, type ExecutionPlugin, failedResult } from '@taskgate/execution';
import { requireRightsFor } from '../rights.ts';
import type { Context } from '../../platform/context.ts';

/** Refuses an operation with FORBIDDEN if the viewer's credential lacks its rights. */
export const useRights = (): ExecutionPlugin<Context> => ({ onExecute: refuseForbidden, onSubscribe: refuseForbidden });

function refuseForbidden({ args, context, setResultAndStopExecution }: ExecutionCall<Context>): void {
  try {
    requireRightsFor(args, context.viewer);
  } catch (error) {
    setResultAndStopExecution(failedResult(error));
  }
}
