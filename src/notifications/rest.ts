/** For each millisecond of work, so many of rest: two per cent of the time are worked. */
const restFactor = 50;

/** Rests after work, the longer the longer that took, so that whoever else works pays little for it. */
export class Rest {
  readonly #maxMs: number;
  /** By `performance.now()`. */
  #until = 0;

  /** @param maxMs of a rest at the most, however long the work took: milliseconds */
  constructor(maxMs: number) {
    this.#maxMs = maxMs;
  }

  /** Milliseconds for which it is still to rest; 0: none. */
  get remainingMs(): number {
    return Math.max(0, this.#until - performance.now());
  }

  get isOver(): boolean {
    return this.remainingMs === 0;
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
