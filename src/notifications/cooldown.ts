/** Milliseconds of rest per millisecond of work: five per cent of the time is work. */
const restFactor = 20;

/** Rests after work, the longer the longer that took, so that others who work pay little for it. */
export class Cooldown {
  readonly #maxMs: number;
  /** By `performance.now()`. */
  #until = 0;

  /** @param maxMs milliseconds of a rest at most, however long the work took */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Milliseconds for which it is still to rest; 0: none. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  /** Does the work, and rests from its end on. */
  async after<Result>(work: () => Promise<Result>): Promise<Result> {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      const now = performance.now();
      this.#until = now + Math.min((now - begun) * restFactor, this.#maxMs);
    }
  }
}
