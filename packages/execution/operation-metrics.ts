import type { OperationTypeNode } from 'graphql';
import { Gauge, Histogram } from 'prom-client';
import { counter, registry } from '@taskgate/base';

export interface OperationSource {
  api: 'rest' | 'graphql' | 'mcp';
  transport: 'http' | 'websocket';
}

/** `ok`, `aborted` if the client was gone, or the code of an error. */
export type Outcome = string;

const durations = new Histogram({
  name: 'taskgate_graphql_operation_duration_seconds',
  help: 'Time of an accepted operation, including the wait for its turn. For subscriptions, time of each event.',
  labelNames: ['api', 'transport', 'type', 'outcome'] as const,
  buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  registers: [registry],
});

const refusals = counter(
  'taskgate_graphql_requests_refused_total',
  'Requests that were refused before execution, by the code of the first error.',
  'code',
);

const subscriptions = new Gauge({
  name: 'taskgate_subscriptions',
  help: 'Open subscriptions.',
  labelNames: ['api', 'transport'] as const,
  registers: [registry],
});

const endedSubscriptions = counter(
  'taskgate_subscriptions_ended_total',
  'Ended subscriptions by outcome: ok if the client ended it.',
  'api',
  'transport',
  'outcome',
);

type OperationType = `${OperationTypeNode}`;

const labelsOf = ({ api, transport }: OperationSource, type: OperationType) => ({
  api,
  transport: type === 'subscription' && transport === 'http' ? 'sse' : transport,
});

export function measureOperation(source: OperationSource, type: OperationType): (outcome: Outcome) => void {
  const begun = performance.now();
  return (outcome) =>
    durations.observe({ ...labelsOf(source, type), type, outcome }, (performance.now() - begun) / 1000);
}

export const countRefusedRequest = (code: string): void => refusals.inc({ code });

/** @returns to call once, at the end */
export function countSubscription(source: OperationSource): (outcome: Outcome) => void {
  const labels = labelsOf(source, 'subscription');
  subscriptions.inc(labels);
  return (outcome) => {
    subscriptions.dec(labels);
    endedSubscriptions.inc({ ...labels, outcome });
  };
}
