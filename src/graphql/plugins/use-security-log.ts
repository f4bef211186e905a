import type { ExecutionResult } from 'graphql';
import { type ExecutionPlugin, originOf } from '@taskgate/execution';
import type { Context } from '../../platform/context.ts';

/** Logs refusals: exceeded limits and missing rights. */
export const useSecurityLog = (): ExecutionPlugin<Context> => ({
  onExecute: ({ context }) => ({ onExecuteDone: ({ result: { errors } }) => logRefusals(context, errors) }),
  onSubscribe: ({ context }) => ({
    onSubscribeResult({ result }) {
      if ('errors' in result) logRefusals(context, result.errors);
    },
  }),
});

function logRefusals(context: Context, errors: ExecutionResult['errors'] = []): void {
  for (const error of errors) context.services.securityLog.refusal(context, originOf(error));
}
