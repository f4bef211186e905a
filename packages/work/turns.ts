import { type Load, measureLoad } from './load.ts';

/** Number of small jobs in one turn. */
const perTurn = 10;

interface Job {
  readonly start: () => void;
  readonly size: number;
  readonly isOfRequest: boolean;
}

/** Round-robin turns of the event loop by key. */
export class Turns {
  readonly #waiting = new Map<string, Job[]>();
  #isScheduled = false;
  #idle = 0;

  constructor() {
    measureLoad('event_loop', this);
  }

  get load(): Load {
    return { running: 0, waiting: [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0) };
  }

  /** Requests that wait behind another job of their key: see `FairQueuePolicy.idle`. */
  get idle(): number {
    return this.#idle;
  }

  /**
   * Waits for a turn. A change may start a thousand jobs, and a client send a thousand requests that are refused. A few
   * jobs run in each turn of the event loop, and other requests run in between.
   * @param key account, client or socket
   * @param isLarge whether the job needs the event loop for milliseconds: it gets a turn of its own
   * @param isOfRequest whether it belongs to a request that counts as in flight
   */
  next(key: string, isLarge = false, isOfRequest = false): Promise<void> {
    return new Promise((start) => {
      const jobs = this.#waiting.get(key) ?? [];
      if (jobs.length > 0) this.#idle += Number(isOfRequest);
      jobs.push({ start, size: isLarge ? perTurn : 1, isOfRequest });
      this.#waiting.set(key, jobs);
      if (!this.#isScheduled) setImmediate(this.#take);
      this.#isScheduled = true;
    });
  }

  readonly #take = (): void => {
    let size = 0;
    for (const [key, jobs] of this.#waiting) {
      if (size >= perTurn) break;
      this.#waiting.delete(key);
      const job = jobs.shift();
      job?.start();
      size += job?.size ?? 0;
      if (jobs.length > 0) this.#waiting.set(key, jobs);
      this.#idle -= Number(jobs[0]?.isOfRequest ?? false);
    }
    this.#isScheduled = this.#waiting.size > 0;
    if (this.#isScheduled) setImmediate(this.#take);
  };
}
