/** By how much a page shrinks where it fails. */
const shrinkFactor = 4;

/** How much a statement of background work does at once: less after each failure, until one passes. */
export class PageSize {
  readonly #max: number;
  #size: number;

  constructor(max: number) {
    this.#max = max;
    this.#size = max;
  }

  /** Whether a page that fails cannot be smaller. */
  get isLeast(): boolean {
    return this.#size === 1;
  }

  /** Does a page of work. @throws what it throws: the next page is smaller then */
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
