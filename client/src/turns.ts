/** Does one work after another, in the order in which they come. */
export class Turns {
  /** The last work, done or not. */
  #last: Promise<unknown> = Promise.resolve();

  /** Does the work when all that came before is done, however that ended. @returns what it gives */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  /** Settles when all that came so far is done. */
  async done(): Promise<void> {
    await this.#last;
  }
}
