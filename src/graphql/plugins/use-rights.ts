import { failedResult } from '../errors.ts';
import { requireRightsFor } from '../rights.ts';
import type { ExecutionCall, ExecutionPlugin } from '../envelop.ts';

/** Refuses an operation with FORBIDDEN if the viewer's credential lacks its rights. */
export const useRights = (): ExecutionPlugin => ({ onExecute: refuseForbidden, onSubscribe: refuseForbidden });

function refuseForbidden({ args, context, setResultAndStopExecution }: ExecutionCall): void {
  try {
    requireRightsFor(args, context.viewer);
  } catch (error) {
    setResultAndStopExecution(failedResult(error));
  }
}
