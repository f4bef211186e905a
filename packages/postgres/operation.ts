import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { log, unavailable } from '@taskgate/base';
import { type Connected, Pool } from './pool.ts';

/** A transaction around all statements of an operation: see `inOneTransaction` (src/platform/transaction.ts). */
export class OperationTransaction {
  client: pg.PoolClient | undefined;
  /** The Prisma client's transaction. */
  tx: object | undefined;
  /** The whole operation then runs again. */
  hasConflict = false;
  #idle = Promise.resolve();
  #isClosed = false;
  #hasEnded = false;
  readonly #afterCommit: (() => unknown)[] = [];

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return current.run(this, work);
  }

  /** @returns a connection for Prisma, which closes the transaction on a timeout even if the operation still runs */
  begin(client: pg.PoolClient): pg.PoolClient {
    this.client = client;
    return replacing(client, 'query', (statement: { text?: string }, ...rest: unknown[]) => {
      if (closing.has(statement.text)) this.#isClosed = true;
      return (client.query as (...args: unknown[]) => unknown)(statement, ...rest);
    });
  }

  /**
   * Lends the connection to one caller at a time, because reads count its bytes.
   * @throws UNAVAILABLE if the transaction is closed: PostgreSQL would commit the statement alone
   */
  async lend(): Promise<pg.PoolClient> {
    const before = this.#idle;
    let done = () => {};
    this.#idle = new Promise((resolve) => (done = resolve));
    await before;
    const { client } = this;
    if (!client || this.#hasEnded || this.#isClosed) {
      done();
      throw unavailable('The operation has ended');
    }
    const lent = replacing(client, 'release', done);
    owners.set(lent, client);
    return lent;
  }

  /** Excludes later statements, except the commit, and waits until the connection is idle. */
  end(): Promise<void> {
    this.#hasEnded = true;
    return this.#idle;
  }

  onCommit(work: () => unknown): void {
    this.#afterCommit.push(work);
  }

  async committed(): Promise<void> {
    for (const work of this.#afterCommit) {
      try {
        await work();
      } catch (error) {
        log.error({ error }, 'work after a commit failed');
      }
    }
  }
}

const closing = new Set<string | undefined>(['COMMIT', 'ROLLBACK']);

const replacing = (client: pg.PoolClient, replaced: keyof pg.PoolClient, by: (...args: never[]) => unknown) =>
  new Proxy(client, {
    get(target, name) {
      if (name === replaced) return by;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

const current = new AsyncLocalStorage<OperationTransaction>();

const owners = new WeakMap<pg.Client, pg.PoolClient>();

export const ownConnection = (client: pg.PoolClient): pg.PoolClient => owners.get(client) ?? client;

export function currentTransaction(): OperationTransaction | undefined {
  const transaction = current.getStore();
  return transaction?.hasEnded ? undefined : transaction;
}

/**
 * Runs work that cannot be undone, such as a mail. In a transaction it waits for the commit, and is dropped after a
 * rollback.
 * @returns the result if the work ran at once
 */
export function afterCommit<Result>(work: () => Result): Result | undefined {
  const transaction = currentTransaction();
  if (!transaction) return work();
  transaction.onCommit(work);
  return undefined;
}

/** Within a transaction, all callers get its connection. */
export class OperationPool extends Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | undefined {
    const transaction = currentTransaction();
    if (!transaction) {
      if (!done) return super.connect();
      super.connect(done);
      return undefined;
    }
    const taken = transaction.client ? transaction.lend() : this.#first(transaction);
    if (!done) return taken;
    taken.then(
      (client) => done(undefined, client, () => client.release()),
      (error: unknown) => done(error as Error, undefined, () => undefined),
    );
    return undefined;
  }

  async #first(transaction: OperationTransaction): Promise<pg.PoolClient> {
    return transaction.begin(await super.connect());
  }
}
