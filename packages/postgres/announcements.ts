import type pg from 'pg';

/** SQLSTATE of the notices of `announce_operation` in prisma/functions. */
const announcement = 'TG200';

/** Operations that the database announces for running writes. */
export class Announcements {
  /** Operations by request name. */
  readonly #operations = new Map<string, string | undefined>();
  #count = 0;

  /** A notice arrives before its statement's result. */
  hear(client: pg.Client | pg.PoolClient): void {
    client.on('notice', ({ code, message = '' }) => {
      const [request = '', operation] = message.split(' ');
      if (code === announcement && this.#operations.has(request)) this.#operations.set(request, operation);
    });
  }

  /**
   * Appends the id of the transaction's operation, if it changes something.
   * @param run gets the request name for the announcement
   */
  async note<Result>(operations: string[] | undefined, run: (request: string) => Promise<Result>): Promise<Result> {
    const request = `${(this.#count += 1)}`;
    this.#operations.set(request, undefined);
    try {
      const result = await run(request);
      const operation = this.#operations.get(request);
      if (operation !== undefined) operations?.push(operation);
      return result;
    } finally {
      this.#operations.delete(request);
    }
  }
}
