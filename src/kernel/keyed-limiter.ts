import { unavailable } from './errors.ts';
import { counter, labelledGauge } from './metrics.ts';

const running = labelledGauge('taskgate_queue_running', 'Pieces of work that run, by queue.', 'queue');
const waiting = labelledGauge('taskgate_queue_waiting', 'Pieces of work that wait for their turn, by queue.', 'queue');
const refusals = counter(
  'taskgate_queue_refused_total',
  'Pieces of work that were refused as too many waited, or waited for too long, by queue.',
  'queue',
);

export interface KeyedLimiterOptions {
  /** Names it among the process' queues, in its metrics. */
  name: string;
  /** Pieces of work of one key that run at once. */
  concurrency: number;
  /** Pieces of work of one key that wait; one more is refused at once. Without it, as many as come. */
  maxWaiting?: number;
  /** Milliseconds after which one that still waits is refused. Without it, it waits for as long as it takes. */
  maxWaitMs?: number;
  /**
   * Whether what waits is a request that does nothing else meanwhile, and waits for what is no measure of the process' load:
   * others of its own key, or a resource of its own kind. See {@link idleRequests}. Only where it comes with a signal, by
   * which it leaves the queue when its client has gone.
   */
  keepsIdle?: boolean;
}

let idle = 0;

/** How many requests wait in a queue that keeps them idle: they are none that the process works on. */
export const idleRequests = (): number => idle;

const limiters = new Map<string, KeyedLimiter>();

/** What the process' queue of this name has to do now. */
export function loadOf(name: string) {
  const limiter = limiters.get(name);
  if (!limiter) throw new Error(`there is no queue ${name}`);
  return limiter.load;
}

/** Each key once, in the order of all; most pieces of work have one key, and there are several queues on every request's way. */
const inOrder = (keys: string | readonly string[]): readonly string[] => {
  if (typeof keys === 'string') return [keys];
  return keys.length > 1 ? [...new Set(keys)].sort() : keys;
};

interface Lane {
  running: number;
  waiting: Set<() => void>;
}

/**
 * Bounds how much work runs at once for each key (an account, a space), so that the work of one key cannot take
 * what is there for all: connections, memory, turns of the event loop. What is beyond the bound waits in the order
 * in which it came. A key without work takes no memory.
 */
export class KeyedLimiter {
  readonly #options: KeyedLimiterOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: KeyedLimiterOptions) {
    this.#options = options;
    const { name } = options;
    limiters.set(name, this);
    running.of(name, () => this.load.running);
    waiting.of(name, () => this.load.waiting);
    refusals.inc({ queue: name }, 0);
  }

  /**
   * Does the work when it is its turn for every one of the keys. Keys are taken in their order, the same for all, so
   * that no two pieces of work ever wait for each other.
   * @param work is told whether it has waited
   * @param signal ends the waiting, with its reason; work that has begun is not ended by it
   * @throws UNAVAILABLE where too many wait already, or its turn does not come in time; the work is not begun then
   */
  async run<Result>(
    keys: string | readonly string[],
    work: (hasWaited: boolean) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const taken: string[] = [];
    let hasWaited = false;
    const { maxWaitMs } = this.#options;
    const deadline = maxWaitMs === undefined ? undefined : performance.now() + maxWaitMs;
    try {
      for (const key of inOrder(keys)) {
        hasWaited = (await this.#take(key, deadline, signal)) || hasWaited;
        taken.push(key);
      }
      return await work(hasWaited);
    } finally {
      for (const key of taken) this.#release(key);
    }
  }

  /** How many pieces of work run and how many wait, of all keys. */
  get load() {
    const lanes = [...this.#lanes.values()];
    return {
      running: lanes.reduce((sum, { running }) => sum + running, 0),
      waiting: lanes.reduce((sum, { waiting }) => sum + waiting.size, 0),
    };
  }

  /** @returns whether it has waited for that */
  async #take(key: string, deadline: number | undefined, signal: AbortSignal | undefined): Promise<boolean> {
    signal?.throwIfAborted();
    const lane = this.#lanes.get(key) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(key, lane);
    if (lane.running < this.#options.concurrency) {
      lane.running += 1;
      return false;
    }
    const { maxWaiting, keepsIdle = false } = this.#options;
    const isIdle = keepsIdle && signal !== undefined;
    if (maxWaiting !== undefined && lane.waiting.size >= maxWaiting) throw this.#refusal();
    await new Promise<void>((resolve, reject) => {
      const leaving = (settle: () => void) => () => {
        lane.waiting.delete(begin);
        idle -= Number(isIdle);
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        settle();
      };
      // Whoever releases hands its place on: `running` stays as it is.
      const begin = leaving(resolve);
      const abort = leaving(() => reject(signal?.reason as Error));
      const giveUp = leaving(() => reject(this.#refusal()));
      const timer = deadline === undefined ? undefined : setTimeout(giveUp, deadline - performance.now());
      lane.waiting.add(begin);
      idle += Number(isIdle);
      signal?.addEventListener('abort', abort, { once: true });
    });
    return true;
  }

  #refusal() {
    refusals.inc({ queue: this.#options.name });
    return unavailable('Too much is asked for at once: try again in a moment');
  }

  #release(key: string): void {
    const lane = this.#lanes.get(key);
    if (!lane) return;
    const [next] = lane.waiting;
    if (next) return next();
    lane.running -= 1;
    if (lane.running === 0) this.#lanes.delete(key);
  }
}

/** Shares what is there for all among accounts: a few pieces of work of each at once, and so many of all together. */
export class SharedLimiter {
  readonly #accounts: KeyedLimiter;
  readonly #all: KeyedLimiter;

  constructor(ofAccount: KeyedLimiterOptions, ofAll: KeyedLimiterOptions) {
    this.#accounts = new KeyedLimiter(ofAccount);
    this.#all = new KeyedLimiter(ofAll);
  }

  /**
   * Does the work, as {@link KeyedLimiter.run} does, when it is its turn among that of its account, and then of all.
   * @param account its id; undefined for what is of none
   */
  run<Result>(
    account: string | undefined,
    work: (hasWaited: boolean) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const ofAll = (waited: boolean) => this.#all.run('', (waitedMore) => work(waited || waitedMore), signal);
    return this.#accounts.run(account ?? [], ofAll, signal);
  }
}
