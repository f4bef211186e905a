const shrinkFactor = 4;

/** Size of the pages of background work. It shrinks after a failure, and grows after a success. */
export class PageSize {
  readonly #max: number;
  #size: number;

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  get isLeast(): boolean {
    return this.#size === 1;
  }

  async run<Result>(work: (size: number) => Promise<Result>): Promise<Result> {
    try {
      const result = await work(this.#size);
      this.#size = Math.min(this.#size * 2, this.#max);
      return result;
    } catch (error) {
      this.#size = Math.ceil(this.#size / shrinkFactor);
      throw error;
    }
  }
}
