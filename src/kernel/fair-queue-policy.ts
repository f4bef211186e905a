/**
 * `slots`: jobs that run at once. An eighth is reserved for keys with hardly any recent use. `slotsPerKey`: by default
 * half. Groups of keys may have four times as much of everything.
 */
type Slots = { slots: number; slotsPerKey?: number } | { slots: () => number; slotsPerKey: number };

export type FairQueuePolicy = Slots & {
  /** Name in the metrics. */
  name: string;
  /** Jobs that may hold a resource at once. */
  slotsPerResource?: number;
  /** Jobs of a key that may wait. */
  waitingPerKey?: number;
  /** Maximum wait. A longer backlog is an overload of the key. */
  patienceMs?: number;
  /** Time until a backlog with all slots held is an overload of all keys. */
  burstMs?: number;
  overloadMs?: number;
  /** Waiting jobs that are no overload: a busy machine alone delays so many. */
  toleratedWaiting?: number;
  /** Maximum wait of those. Most have a signal that ends it earlier. */
  toleratedWaitMs?: number;
  /** Waiting requests that are not in progress: all, or those behind others of their key or resource. */
  idle?: 'all' | 'behind itself';
};

export const queueDefaults = {
  slotsPerResource: Infinity,
  waitingPerKey: 1_000,
  patienceMs: 10_000,
  burstMs: 5_000,
  overloadMs: 500,
  toleratedWaiting: 32,
  toleratedWaitMs: 30_000,
};
