import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { unavailable } from '../kernel/errors.ts';
import { log } from '../kernel/logger.ts';
import type { Database } from './database.ts';
import { type Connected, Pool } from './pool.ts';

/** A transaction that all statements of an operation are part of: see `transaction.ts`, `inOneTransaction`. */
export class OperationTransaction {
  /** Its connection, which is the first one that is taken within it. */
  client: pg.PoolClient | undefined;
  /** The Prisma client within it. */
  tx: Database | undefined;
  /** Whether a write of it met a conflict with another writer: all of it is done again then. */
  hasConflict = false;
  #idle = Promise.resolve();
  #isClosed = false;
  #hasEnded = false;
  readonly #afterCommit: (() => unknown)[] = [];

  /** Whether it is over; what is requested later does not belong to it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Does the work as part of it. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    return current.run(this, work);
  }

  /**
   * Keeps the connection of the transaction.
   * @returns the connection for Prisma. Prisma closes the transaction when it times out, even if the operation still runs
   */
  begin(client: pg.PoolClient): pg.PoolClient {
    this.client = client;
    return replacing(client, 'query', (statement: { text?: string }, ...rest: unknown[]) => {
      if (closing.has(statement.text)) this.#isClosed = true;
      return (client.query as (...args: unknown[]) => unknown)(statement, ...rest);
    });
  }

  /**
   * Its connection, when nothing else runs there: reads of an operation count what comes over theirs.
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

  /** Excludes later statements, except the commit. @returns when the connection is idle */
  end(): Promise<void> {
    this.#hasEnded = true;
    return this.#idle;
  }

  /** Has something done after its commit. */
  onCommit(work: () => unknown): void {
    this.#afterCommit.push(work);
  }

  /** Runs the work that waits for the commit, and logs its failures. */
  async committed(): Promise<void> {
    for (const work of this.#afterCommit) {
      try {
        await work();
      } catch (error) {
        log.error({ error }, 'what was to be done after a commit failed');
      }
    }
  }
}

/** Prisma's statements that close a transaction. */
const closing = new Set<string | undefined>(['COMMIT', 'ROLLBACK']);

/** Wraps a connection and replaces one function. */
const replacing = (client: pg.PoolClient, replaced: keyof pg.PoolClient, by: (...args: never[]) => unknown) =>
  new Proxy(client, {
    get(target, name) {
      if (name === replaced) return by;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });

const current = new AsyncLocalStorage<OperationTransaction>();

/** What connections that are lent are by themselves. */
const owners = new WeakMap<pg.Client, pg.PoolClient>();

/** The connection below a lent one; otherwise the same connection. */
export const ownConnection = (client: pg.PoolClient): pg.PoolClient => owners.get(client) ?? client;

/** The transaction of the current operation, if there is one. */
export function currentTransaction(): OperationTransaction | undefined {
  const transaction = current.getStore();
  return transaction?.hasEnded ? undefined : transaction;
}

/**
 * Does what cannot be taken back, such as a mail or a word to subscribers: at once, or after the commit of the transaction that the
 * operation is, and not at all where it is rolled back.
 * @returns what the work gives, where it has been done
 */
export function afterCommit<Result>(work: () => Result): Result | undefined {
  const transaction = currentTransaction();
  if (!transaction) return work();
  transaction.onCommit(work);
  return undefined;
}

/** A pool that gives each operation that is a transaction the connection of that: to Prisma, and to a statement past it. */
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
