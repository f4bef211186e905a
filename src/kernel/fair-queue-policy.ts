/**
 * `slots`: pieces of work that run at once, an eighth of them kept for keys that used hardly any lately; a function if their number is
 * known later. `slotsPerKey`: slots that a key may hold, by default half of them; a group around it may hold four times as many.
 */
type Slots = { slots: number; slotsPerKey?: number } | { slots: () => number; slotsPerKey: number };

export type FairQueuePolicy = Slots & {
  /** Names the queue in the metrics. */
  name: string;
  /** Pieces of work that hold the same resource at once. */
  slotsPerResource?: number;
  /** Pieces of work of a key that wait, of a group around it four times as many; a further one is refused at once. */
  waitingPerKey?: number;
  /** Milliseconds for which a piece of work waits. A backlog of a key that lasts longer is overload of that key. */
  patienceMs?: number;
  /** Milliseconds after which a backlog while all slots are held is overload of all keys. */
  burstMs?: number;
  /** Milliseconds for which a piece of work waits under overload. */
  overloadMs?: number;
  /** Waiting pieces of work, of a key and of all together, that are no overload: a busy machine alone delays so many. */
  few?: number;
  /** Milliseconds after which these are refused as well. Most have a signal that ends their wait earlier. */
  fewMs?: number;
  /** Which waiting requests are none that the process works on: all, or those behind others of their own key or resource. */
  idle?: 'all' | 'behind itself';
};

export const queueDefaults = {
  slotsPerResource: Infinity,
  waitingPerKey: 1_000,
  patienceMs: 10_000,
  burstMs: 5_000,
  overloadMs: 500,
  few: 32,
  fewMs: 30_000,
};
