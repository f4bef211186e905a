import { AsyncResource } from 'node:async_hooks';
import { every, logFailure } from '@taskgate/postgres';
import { type Load, measureLoad } from '@taskgate/work';

/** The poll finds changes by direct SQL, moments that have come, and the work of ended processes. */
const pollMs = 1000;
/** Work that arrives in this time is done together. */
const minRestMs = 200;
/** The rest after a step is a multiple of the step's time, so the work takes five percent of the time. */
const [restFactor, maxRestMs] = [20, 2000];

/** Background work in short steps, one at a time, with rests that leave time for writers. Lasts until {@link stop}. */
export class PacedWork {
  readonly #step: () => Promise<boolean>;
  readonly #polls: { stop(): void };
  #running: Promise<unknown> = Promise.resolve();
  #steps = 0;
  #waiting: NodeJS.Timeout | undefined;
  /** By `performance.now()`. */
  #restUntil = 0;
  #isStopped = false;
  /** Begins soon, outside of the caller's operation. */
  readonly wake: () => void;

  /**
   * @param name in the metrics of queues
   * @param failure the line of the log if a step fails; the work is polled again
   * @param step returns whether there may be more
   */
  constructor(name: string, failure: string, step: () => Promise<boolean>) {
    this.#step = step;
    this.wake = AsyncResource.bind(() => {
      if (this.#isStopped) return;
      this.#waiting ??= setTimeout(
        () => {
          this.#waiting = undefined;
          this.#runThrottled().catch((error: unknown) => logFailure(error, failure));
        },
        Math.max(minRestMs, this.#restUntil - performance.now()),
      ).unref();
    });
    measureLoad(name, this);
    this.#polls = every(pollMs, name, () => Promise.resolve(this.wake()));
  }

  get load(): Load {
    return {
      running: Math.min(this.#steps, 1),
      waiting: Math.max(this.#steps - 1, 0) + Number(this.#waiting !== undefined),
    };
  }

  /** Takes all steps now. @throws the error of a step */
  async run(): Promise<void> {
    while (!this.#isStopped && (await this.#next()));
  }

  /** Waits for the step that has begun. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#polls.stop();
    clearTimeout(this.#waiting);
    await this.#running.catch(() => undefined);
  }

  async #runThrottled(): Promise<void> {
    const begun = performance.now();
    const rest = () => {
      const now = performance.now();
      this.#restUntil = now + Math.min((now - begun) * restFactor, maxRestMs);
    };
    if (await this.#next().finally(rest)) this.wake();
  }

  #next(): Promise<boolean> {
    this.#steps += 1;
    const running = this.#running
      .catch(() => undefined)
      .then(() => !this.#isStopped && this.#step())
      .finally(() => (this.#steps -= 1));
    this.#running = running;
    return running;
  }
}
