import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { rateLimited, unavailable } from '../kernel/errors.ts';
import { KeyedLimiter } from '../kernel/keyed-limiter.ts';
import * as data from './attempt-data.ts';

/** Milliseconds for which a try waits for its turn at the most; it is refused then. */
const maxWaitMs = 30_000;
/** Milliseconds between looks whether the tries of other processes have ended: one takes about a hundred. */
const pollMs = 50;

/** In this process, the tries of a subject come one after the other: what waits takes no connection and no work. */
const queue = new KeyedLimiter({ concurrency: 1, maxWaiting: 1000, maxWaitMs });

export interface AttemptOptions {
  /** Names what is tried, such as `sign-in`: each has a count of its own. */
  name: string;
  /** What the refusal says. */
  message: string;
}

/**
 * Bounds the guesses of a password: ten failures in any 15 minutes for each subject, over all processes together. A
 * try counts as a failure from before it is checked until it has succeeded, so that parallel guesses are never more;
 * yet only failures refuse: where the rest of the ten is under way, a try waits. It holds whatever RATE_LIMITS says.
 */
export class PasswordAttempts {
  readonly #options: AttemptOptions;

  constructor(options: AttemptOptions) {
    this.#options = options;
  }

  /**
   * Makes a try.
   * @param subject what is guessed at, such as an e-mail address
   * @param check answers what a right password gives; null where it was wrong. A check that throws counts as failed
   * @throws RATE_LIMITED after ten failures; UNAVAILABLE where its turn does not come in time
   */
  run<Result>(subject: string, check: () => Promise<Result | null>): Promise<Result | null> {
    const key = `${this.#options.name}:${createHash('sha256').update(subject).digest('base64url')}`;
    return queue.run(key, async () => {
      const id = await this.#begin(key);
      const outcome = await check().catch(async (error: unknown) => {
        await data.fail(id);
        throw error;
      });
      await (outcome === null ? data.fail(id) : data.forget(id));
      return outcome;
    });
  }

  async #begin(key: string): Promise<bigint> {
    const deadline = performance.now() + maxWaitMs;
    while (performance.now() < deadline) {
      const { id, retryAfter } = await data.begin(key);
      if (id !== null) return id;
      if (retryAfter !== null) throw rateLimited(this.#options.message, retryAfter);
      await delay(pollMs);
    }
    throw unavailable('Too many attempts at once: try again in a moment');
  }
}
