/** Runs work in order, one at a time. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Failures do not stop later work. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async done(): Promise<void> {
    await this.#last;
  }
}
