import { failedResult } from './errors.ts';
import type { ExecutionPlugin } from './envelop.ts';

export const useSubscriptionLimits = (): ExecutionPlugin => ({
  onSubscribe({ context, setResultAndStopExecution }) {
    const { viewer, clientAddress, services, subscription } = context;
    if (!viewer || !subscription) return;
    try {
      const opener = { userId: viewer.id, clientAddress };
      subscription.onEnd(services.subscriptions.openSubscription(opener, subscription.options));
    } catch (error) {
      setResultAndStopExecution(failedResult(error));
    }
  },
});
