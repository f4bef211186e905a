import type { ExecutionResult } from 'graphql';
import { CallerGone } from '@taskgate/work';
import { codeOf, originOf } from './errors.ts';
import { countSubscription, measureOperation, type Outcome } from './operation-metrics.ts';
import type { ExecutionPlugin } from './envelop.ts';
import { operationTypeOf } from './named-operation.ts';

/** Measures operations, with the wait for their turn, and counts open subscriptions. */
export const useMetrics = (): ExecutionPlugin => ({
  onExecute({ args, context }) {
    const measured = measureOperation(context.source, operationTypeOf(args));
    return { onExecuteDone: ({ result }) => measured(outcomeOf(result)) };
  },
  onSubscribe({ context }) {
    context.subscription?.onEnd(countSubscription(context.source));
  },
});

/** Service faults come first. */
function outcomeOf({ errors = [] }: ExecutionResult): Outcome {
  if (errors.some((error) => originOf(error) instanceof CallerGone)) return 'aborted';
  const codes = errors.map(codeOf);
  return codes.find((code) => code === 'INTERNAL') ?? codes[0] ?? 'ok';
}
