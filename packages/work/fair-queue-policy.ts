/**
 * `slots`: jobs that run at once. An eighth is reserved for keys with hardly any recent use. `slotsPerKey`: by default
 * half. Groups may have four times as much.
 */
type Slots = { slots: number; slotsPerKey?: number } | { slots: () => number; slotsPerKey: number };

export type FairQueuePolicy = Slots & {
  /** Name in the metrics. */
  name: string;
  /** Jobs that may hold a resource at once. */
  slotsPerResource?: number;
  /** Jobs of a key that may wait. */
  waitingPerKey?: number;
  /** Maximum wait of a job. A key whose jobs have waited for longer without a break is overloaded. */
  patienceMs?: number;
  /** All keys are overloaded if jobs have waited for longer than this while all slots were held. */
  burstMs?: number;
  /** Maximum wait of a job under overload. */
  overloadMs?: number;
  /** Number of waiting jobs that is no overload: a busy machine alone can delay so many. */
  toleratedWaiting?: number;
  /** Maximum wait of these tolerated jobs. Most have a signal that ends it earlier. */
  toleratedWaitMs?: number;
  /** Waiting requests that do not count as in progress: all, or those behind others of their key or resource. */
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
