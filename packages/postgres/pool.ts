import pg from 'pg';
import { withinSpan } from '@taskgate/base';
import { sqlStateOf } from './errors.ts';

/** SQLSTATE if the server, database or role has too many connections. */
const tooManyConnections = '53300';

/** Time until an empty pool retries, and a smaller pool may grow again. */
const retryMs = 100;
const growMs = 1000;

export type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (broken?: unknown) => void,
) => void;

/** Works with fewer connections if the server allows no more. */
export class Pool extends pg.Pool {
  readonly #size: number;
  readonly #all: Set<Pool>;
  #isGivingUp = false;

  /** @param all pools of the same server. An empty pool takes a connection from another one */
  constructor(options: pg.PoolConfig, all: Set<Pool>) {
    super(options);
    this.#size = this.options.max;
    this.#all = all;
    all.add(this);
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(done: Connected): void;
  override connect(done?: Connected): Promise<pg.PoolClient> | undefined {
    const until = performance.now() + (this.options.connectionTimeoutMillis ?? 0);
    if (done) return void this.#connectUntil(until, withinSpan(done));
    return new Promise((resolve, reject) => {
      this.#connectUntil(until, (error, client) =>
        client ? resolve(client) : reject(error ?? new Error('no connection')),
      );
    });
  }

  override end(): Promise<void> {
    this.#all.delete(this);
    return super.end();
  }

  #connectUntil(until: number, done: Connected): void {
    super.connect((error, client, release) => {
      if (sqlStateOf(error) !== tooManyConnections || performance.now() > until) return done(error, client, release);
      this.#shrink(this.totalCount);
      if (this.totalCount > 0) return this.#connectUntil(until, done);
      const [largest] = [...this.#all].toSorted((a, b) => b.totalCount - a.totalCount);
      if (largest) largest.#giveUpOne();
      setTimeout(() => this.#connectUntil(until, done), retryMs);
    });
  }

  /** Shrinks the pool for a moment. Callers wait for existing connections. */
  #shrink(size: number): void {
    this.options.max = Math.max(1, size);
    setTimeout(() => (this.options.max = this.#size), growMs).unref();
  }

  /** Closes one connection, even for many callers. */
  #giveUpOne(): void {
    if (this.totalCount < 2 || this.#isGivingUp) return;
    this.#isGivingUp = true;
    this.#shrink(this.totalCount - 1);
    super.connect((_error, client) => {
      this.#isGivingUp = false;
      client?.release(true);
    });
  }
}
