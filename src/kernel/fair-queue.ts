import { unavailable } from './errors.ts';
import { counter, labelledGauge } from './metrics.ts';

/*
 * Start-time fair queueing (Goyal, Vin, Cheng 1996) over measured time: of those who wait, the one who has used least goes next,
 * and who ran long pays with the next turn. A request waits in one of these states:
 *
 *   running   holds a slot until its work settles
 *   waiting   behind others of its own key, first in first out; between keys, least used first
 *   refused   has waited for too long: UNAVAILABLE. In a backlog that does not drain the newest goes first and
 *             the patience is short (CoDel, RFC 8289; adaptive LIFO), as answers that come late are of no use
 */

/** Whose work it is: a key, or a narrow one and the groups around it, from narrow to wide, such as a client and its networks. */
export type FairKey = string | readonly [key: string, ...groups: string[]];

export interface FairQueuePolicy {
  /** Names the queue in the metrics. */
  name: string;
  /** Pieces of work that run at once. */
  slots: number;
  /** Of those, the ones that a key may hold; a group around it may hold {@link groupFactor} times as many, the next one again. */
  slotsPerKey?: number;
  /** Whether a key leaves at least as many slots free as it holds, so that there is one for a newcomer. Default: true. */
  leavesRoom?: boolean;
  /** Pieces of work of a key that wait; a further one is refused at once. */
  waitingPerKey?: number;
  /** Milliseconds for which a burst may wait. A backlog that lasts longer is overload. */
  burstMs?: number;
  /** Milliseconds for which a piece of work waits under overload. */
  overloadMs?: number;
}

const defaults = { leavesRoom: true, waitingPerKey: 1_000, burstMs: 5_000, overloadMs: 500 };

/** A group holds, and uses, so many times what a key in it may. */
export const groupFactor = 4;

/** Milliseconds of use that a key is charged with at most: who has run for minutes waits no longer than this behind the others. */
const maxDebtMs = 10_000;

/** Milliseconds between sweeps for what has waited too long. */
const sweepMs = 50;

/** Part of the estimated time of a piece of work that the last one contributes. */
const smoothing = 0.1;

/** Keys that are remembered before those that owe nothing are forgotten. */
const minForgotten = 1_000;

const running = labelledGauge('taskgate_queue_running', 'Pieces of work that run, by queue.', 'queue');
const waiting = labelledGauge('taskgate_queue_waiting', 'Pieces of work that wait for their turn, by queue.', 'queue');
const refusals = counter(
  'taskgate_queue_refused_total',
  'Pieces of work that were refused as too many waited, or waited for too long, by queue.',
  'queue',
);

/** What a queue has to do. */
interface Load {
  running: number;
  waiting: number;
}

interface Measured {
  readonly load: Load;
  /** Of those that wait, requests that do nothing else meanwhile. */
  readonly idle: number;
}

const queues = new Map<string, Measured>();

function measure(name: string, queue: Measured): void {
  queues.set(name, queue);
  running.of(name, () => queue.load.running);
  waiting.of(name, () => queue.load.waiting);
  refusals.inc({ queue: name }, 0);
}

/** What the process' queue of this name has to do now. */
export function loadOf(name: string): Load {
  const queue = queues.get(name);
  if (!queue) throw new Error(`there is no queue ${name}`);
  return queue.load;
}

/** How many requests only wait for their turn in a queue: the process does not work on them. */
export function idleRequests(): number {
  let sum = 0;
  for (const queue of queues.values()) sum += queue.idle;
  return sum;
}

/** A slot that is held. */
interface Slot {
  readonly keys: readonly string[];
  readonly startedAt: number;
  /** Milliseconds that its keys were charged with in advance. */
  readonly estimateMs: number;
}

interface Waiter {
  /** When it came, by `performance.now()`. */
  readonly since: number;
  begin(slot: Slot): void;
  refuse(): void;
}

/** What a key, or a group, holds and has used. */
interface Share {
  held: number;
  /** Virtual time at which its next piece of work starts, where that is not in the past. */
  finish: number;
  /** In the order in which they came. */
  readonly waiters: Waiter[];
  /** Since when it has had waiters. */
  backlogSince: number;
  /** Whether one of them was refused as it had waited too long: from then on the newest goes first. */
  isShedding: boolean;
}

/** Shares slots among keys (accounts, clients, spaces) by the time for which they hold them. A key without work takes no memory. */
export class FairQueue {
  readonly #policy: Required<FairQueuePolicy>;
  readonly #shares = new Map<string, Share>();
  /** Shares that have waiters, with their key and the groups around it. */
  readonly #backlog = new Map<Share, readonly string[]>();
  #running = 0;
  #waiting = 0;
  #idle = 0;
  /** Virtual time: the start of the piece of work that began last. */
  #now = 0;
  /** Milliseconds that a piece of work takes, about. */
  #estimateMs = 1;
  /** Since when all slots have been held while somebody waited for one. */
  #fullSince: number | undefined;
  #sweeping: NodeJS.Timeout | undefined;
  #sweptAt = 0;
  #forgetAt = minForgotten;

  /** @param isMeasured whether it is a queue in the metrics by itself */
  constructor(policy: FairQueuePolicy, isMeasured = true) {
    this.#policy = { ...defaults, slotsPerKey: policy.slots, ...policy };
    if (isMeasured) measure(policy.name, this);
  }

  get load(): Load {
    return { running: this.#running, waiting: this.#waiting };
  }

  get idle(): number {
    return this.#idle;
  }

  /**
   * Does the work when it is its turn.
   * @param work is given whether it has waited
   * @param signal ends the waiting, with its reason; work that has begun is not ended by it
   * @throws UNAVAILABLE where too many of the key wait already, or its turn does not come in time; the work has not begun then
   */
  async run<Result>(
    key: FairKey,
    work: (hasWaited: boolean) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const keys = typeof key === 'string' ? [key] : key;
    const isFree = this.#mayHold(keys);
    const slot = isFree ? this.#hold(keys) : await this.#wait(keys, signal);
    try {
      return await work(!isFree);
    } finally {
      this.#release(slot);
    }
  }

  #shareOf(key: string): Share {
    const known = this.#shares.get(key);
    if (known) return known;
    const share: Share = { held: 0, finish: 0, waiters: [], backlogSince: 0, isShedding: false };
    this.#shares.set(key, share);
    return share;
  }

  #mayHold(keys: readonly string[]): boolean {
    const { slots, slotsPerKey, leavesRoom } = this.#policy;
    const free = slots - this.#running;
    if (free === 0) return false;
    return keys.every((key, width) => {
      const held = this.#shares.get(key)?.held ?? 0;
      return held < slotsPerKey * groupFactor ** width && (!leavesRoom || held === 0 || held < free);
    });
  }

  /** Virtual time at which a piece of work of these keys starts. */
  #startOf(keys: readonly string[]): number {
    return keys.reduce((start, key) => Math.max(start, this.#shares.get(key)?.finish ?? 0), this.#now);
  }

  #hold(keys: readonly string[]): Slot {
    this.#running += 1;
    this.#now = this.#startOf(keys);
    const slot = { keys, startedAt: performance.now(), estimateMs: this.#estimateMs };
    keys.forEach((key, width) => {
      const share = this.#shareOf(key);
      share.held += 1;
      share.finish = Math.max(share.finish, this.#now) + slot.estimateMs / groupFactor ** width;
    });
    return slot;
  }

  #release({ keys, startedAt, estimateMs }: Slot): void {
    const ms = performance.now() - startedAt;
    this.#running -= 1;
    this.#estimateMs += smoothing * (ms - this.#estimateMs);
    keys.forEach((key, width) => {
      const share = this.#shareOf(key);
      share.held -= 1;
      share.finish = Math.min(share.finish + (ms - estimateMs) / groupFactor ** width, this.#now + maxDebtMs);
    });
    if (this.#waiting > 0) this.#dispatch();
    if (this.#running === 0 || this.#shares.size > this.#forgetAt) this.#forget();
  }

  #wait(keys: readonly string[], signal: AbortSignal | undefined): Promise<Slot> {
    const share = this.#shareOf(keys[0] ?? '');
    if (share.waiters.length >= this.#policy.waitingPerKey) throw this.#refusal();
    return new Promise<Slot>((resolve, reject) => {
      const isIdle = Number(signal !== undefined);
      const leave = () => {
        this.#waiting -= 1;
        this.#idle -= isIdle;
        signal?.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        since: performance.now(),
        begin(slot) {
          leave();
          resolve(slot);
        },
        refuse: () => {
          leave();
          reject(this.#refusal());
        },
      };
      const abort = () => {
        share.waiters.splice(share.waiters.indexOf(waiter), 1);
        if (share.waiters.length === 0) this.#backlog.delete(share);
        leave();
        reject(signal?.reason as Error);
      };
      if (share.waiters.push(waiter) === 1) {
        share.backlogSince = waiter.since;
        share.isShedding = false;
        this.#backlog.set(share, keys);
      }
      this.#waiting += 1;
      this.#idle += isIdle;
      signal?.addEventListener('abort', abort, { once: true });
      this.#noteFull(waiter.since);
      this.#sweeping ??= setInterval(() => this.#sweep(performance.now()), sweepMs).unref();
    });
  }

  /** Gives the slots that are free to those who wait. */
  #dispatch(): void {
    const now = performance.now();
    if (now - this.#sweptAt > sweepMs) this.#sweep(now);
    for (let next = this.#next(now); next; next = this.#next(now)) {
      const [share, keys] = next;
      const waiter = share.isShedding ? share.waiters.pop() : share.waiters.shift();
      if (share.waiters.length === 0) this.#backlog.delete(share);
      waiter?.begin(this.#hold(keys));
    }
    this.#noteFull(now);
  }

  /** Whose turn it is: who starts first in virtual time; of several who came first, under overload who came last. */
  #next(now: number): [Share, readonly string[]] | undefined {
    if (this.#running === this.#policy.slots) return undefined;
    const direction = this.#isOverload(this.#fullSince, now) ? -1 : 1;
    let found: [Share, readonly string[]] | undefined;
    let [first, order] = [Infinity, 0];
    for (const [share, keys] of this.#backlog) {
      if (!this.#mayHold(keys)) continue;
      const [start, came] = [this.#startOf(keys), direction * share.backlogSince];
      if (start > first || (start === first && came >= order)) continue;
      [found, first, order] = [[share, keys], start, came];
    }
    return found;
  }

  /** Refuses what has waited too long. */
  #sweep(now: number): void {
    this.#sweptAt = now;
    const { burstMs, overloadMs } = this.#policy;
    const isFull = this.#isOverload(this.#fullSince, now);
    for (const share of this.#backlog.keys()) {
      const isOverload = isFull || this.#isOverload(share.backlogSince, now);
      const patienceMs = isOverload ? overloadMs : burstMs;
      const inTime = share.waiters.findIndex(({ since }) => now - since <= patienceMs);
      const late = share.waiters.splice(0, inTime === -1 ? share.waiters.length : inTime);
      share.isShedding ||= isOverload && late.length > 0;
      if (share.waiters.length === 0) this.#backlog.delete(share);
      for (const waiter of late) waiter.refuse();
    }
    this.#noteFull(now);
    if (this.#waiting > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #isOverload(since: number | undefined, now: number): boolean {
    return since !== undefined && now - since > this.#policy.burstMs;
  }

  #noteFull(now: number): void {
    const isFull = this.#waiting > 0 && this.#running === this.#policy.slots;
    this.#fullSince = isFull ? (this.#fullSince ?? now) : undefined;
  }

  /** Forgets keys that hold nothing and owe nothing. */
  #forget(): void {
    for (const [key, { held, finish, waiters }] of this.#shares) {
      if (held === 0 && waiters.length === 0 && finish <= this.#now) this.#shares.delete(key);
    }
    this.#forgetAt = Math.max(minForgotten, 2 * this.#shares.size);
  }

  #refusal() {
    refusals.inc({ queue: this.#policy.name });
    return unavailable('Too many requests in progress: try again in a moment');
  }
}

/** Queues for many resources of one kind, such as the locks of spaces: each has slots for itself. One without work takes no memory. */
export class FairQueues {
  readonly #policy: FairQueuePolicy;
  readonly #queues = new Map<string, FairQueue>();

  /** @param policy of each of them; they are one queue in the metrics */
  constructor(policy: FairQueuePolicy) {
    this.#policy = policy;
    measure(policy.name, this);
  }

  get load(): Load {
    const loads = [...this.#queues.values()].map(({ load }) => load);
    return {
      running: loads.reduce((sum, load) => sum + load.running, 0),
      waiting: loads.reduce((sum, load) => sum + load.waiting, 0),
    };
  }

  get idle(): number {
    let sum = 0;
    for (const { idle } of this.#queues.values()) sum += idle;
    return sum;
  }

  /**
   * Does the work, as {@link FairQueue.run} does, when it is its turn at every one of the resources. They are taken in one order,
   * so that no two pieces of work wait for each other.
   */
  run<Result>(
    resources: readonly string[],
    key: FairKey,
    work: (hasWaited: boolean) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const ordered = resources.length > 1 ? [...new Set(resources)].sort() : resources;
    const take = async (index: number, waited: boolean): Promise<Result> => {
      const resource = ordered[index];
      if (resource === undefined) return work(waited);
      const queue = this.#queues.get(resource) ?? new FairQueue(this.#policy, false);
      this.#queues.set(resource, queue);
      try {
        return await queue.run(key, (waitedHere) => take(index + 1, waited || waitedHere), signal);
      } finally {
        const { running, waiting } = queue.load;
        if (running + waiting === 0) this.#queues.delete(resource);
      }
    };
    return take(0, false);
  }
}
