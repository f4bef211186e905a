import { counter, labelledGauge } from './metrics.ts';

/** What a queue, pool or background loop has to do. */
export interface Load {
  running: number;
  waiting: number;
}

interface Source {
  readonly load: Load;
  /** The waiting requests that the process does not work on meanwhile. */
  readonly idle?: number;
}

const running = labelledGauge('taskgate_queue_running', 'Pieces of work that run, by queue.', 'queue');
const waiting = labelledGauge('taskgate_queue_waiting', 'Pieces of work that wait for their turn, by queue.', 'queue');
const refusals = counter(
  'taskgate_queue_refused_total',
  'Pieces of work that were refused as too many waited, or waited for too long, by queue.',
  'queue',
);

const sources = new Map<string, Source>();

/**
 * Has the metrics show the load of something that accounts share: a queue, pool, background loop or budget. Each has a case in
 * test/noisy-neighbour. A later one of the same name takes the place of the former.
 */
export function measureLoad(name: string, source: Source): void {
  sources.set(name, source);
  running.of(name, () => source.load.running);
  waiting.of(name, () => source.load.waiting);
  refusals.inc({ queue: name }, 0);
}

export const countRefused = (name: string): void => refusals.inc({ queue: name });

/** The load of what is measured under a name now. */
export function loadOf(name: string): Load {
  const source = sources.get(name);
  if (!source) throw new Error(`nothing is measured as ${name}`);
  return source.load;
}

/** How many requests only wait for their turn: the process does not work on them. */
export function idleRequests(): number {
  let sum = 0;
  for (const { idle = 0 } of sources.values()) sum += idle;
  return sum;
}
