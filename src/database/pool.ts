import pg from 'pg';
import { withinSpan } from '../kernel/tracing.ts';
import { sqlStateOf } from './errors.ts';

/** SQLSTATE of a server, database or role that has no connection left. */
const tooManyConnections = '53300';

/** Milliseconds after which a pool without any connection retries, and one with some retries for more. */
const retryMs = 100;
const growMs = 1000;

/** What a pool calls with a connection. */
export type Connected = (
  error: Error | undefined,
  client: pg.PoolClient | undefined,
  release: (broken?: unknown) => void,
) => void;

/** The pools of the process: one that has no connection gets one of another. */
const pools = new Set<Pool>();

/** A pool that makes do with the connections there are, where the server gives fewer than it may have. */
export class Pool extends pg.Pool {
  readonly #size: number;
  #isGivingUp = false;

  constructor(options: pg.PoolConfig) {
    super(options);
    this.#size = this.options.max;
    pools.add(this);
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
    pools.delete(this);
    return super.end();
  }

  #connectUntil(until: number, done: Connected): void {
    super.connect((error, client, release) => {
      if (sqlStateOf(error) !== tooManyConnections || performance.now() > until) return done(error, client, release);
      this.#shrink(this.totalCount);
      if (this.totalCount > 0) return this.#connectUntil(until, done);
      const [largest] = [...pools].toSorted((a, b) => b.totalCount - a.totalCount);
      if (largest) largest.#giveUpOne();
      setTimeout(() => this.#connectUntil(until, done), retryMs);
    });
  }

  /** Has no more connections than that for a moment: who needs one waits for one of those. */
  #shrink(size: number): void {
    this.options.max = Math.max(1, size);
    setTimeout(() => (this.options.max = this.#size), growMs).unref();
  }

  /** One at a time, however many wait for it. */
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
