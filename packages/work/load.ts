import { counter, labelledGauge } from '@taskgate/base';

export interface Load {
  running: number;
  waiting: number;
}

interface Source {
  readonly load: Load;
  /** Number of waiting requests that do not count as in progress. */
  readonly idle?: number;
}

const running = labelledGauge('taskgate_queue_running', 'Running jobs, by queue.', 'queue');
const waiting = labelledGauge('taskgate_queue_waiting', 'Waiting jobs, by queue.', 'queue');
const refusals = counter(
  'taskgate_queue_refused_total',
  'Jobs refused because too many waited or the wait was too long, by queue.',
  'queue',
);

/** Part of the metrics, which all apps of the process share. */
const sources = new Map<string, Source>();

/** Registers or replaces the load of a shared resource. Each resource has a case in test/noisy-neighbour. */
export function measureLoad(name: string, source: Source): void {
  sources.set(name, source);
  running.track(name, () => source.load.running);
  waiting.track(name, () => source.load.waiting);
  refusals.inc({ queue: name }, 0);
}

export const countRefused = (name: string): void => refusals.inc({ queue: name });

export function loadOf(name: string): Load {
  const source = sources.get(name);
  if (!source) throw new Error(`${name} has no load`);
  return source.load;
}

export function idleRequests(): number {
  let sum = 0;
  for (const { idle = 0 } of sources.values()) sum += idle;
  return sum;
}
