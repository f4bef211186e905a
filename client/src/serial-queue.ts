/** Runs work in order, one at a time. */
export class SerialQueue {
  #lastResult: Promise<unknown> = Promise.resolve();

  /** Failures do not stop later work. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#lastResult.then(work);
    this.#lastResult = result.catch(() => undefined);
    return result;
  }

  async idle(): Promise<void> {
    await this.#lastResult;
  }
}
