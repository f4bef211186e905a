import { resultOf } from '../errors.ts';
import { requireRightsFor } from '../rights.ts';
import type { ExecutionPlugin } from '../envelop.ts';

/** Refuses an operation with FORBIDDEN if the viewer's credential lacks its rights. */
export const useRights = (): ExecutionPlugin => ({ onExecute: refuseForbidden, onSubscribe: refuseForbidden });

type Call = Parameters<NonNullable<ExecutionPlugin['onExecute'] | ExecutionPlugin['onSubscribe']>>[0];

function refuseForbidden({ args, context, setResultAndStopExecution }: Call): void {
  try {
    requireRightsFor(args, context.viewer);
  } catch (error) {
    setResultAndStopExecution(resultOf(error));
  }
}
