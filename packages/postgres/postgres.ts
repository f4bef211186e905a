import pg from 'pg';
import { labelledGauge, log } from '@taskgate/base';
import { FairQueue, Turns } from '@taskgate/work';
import { Announcements } from './announcements.ts';
import { clientClass, startupParameters } from './client.ts';
import { DatabaseAwayError, DatabaseHealth } from './health.ts';
import { currentTransaction, OperationPool } from './operation.ts';
import { Pool } from './pool.ts';
import { poolSizes } from './pool-sizes.ts';
import { readPolicy, writePolicy } from './queues.ts';
import { Replicas } from './replicas.ts';
import { StatementNames } from './statement-names.ts';
import { measureStatements } from './statement-times.ts';

export const databaseLimits = {
  connectMs: 10_000,
  /** After this time, the primary serves the read. */
  replicaConnectMs: 2_000,
  /** Long, because new connections take threads that also hash passwords. */
  idleMs: 60_000,
  statementMs: 30_000,
  /** Includes the commit, which the server does not limit. The server's own limit must come first. */
  answerMs: 32_000,
  lockMs: 5_000,
  idleInTransactionMs: 15_000,
  /** Until this time, an operation in one transaction keeps its locks. */
  operationMs: 5_000,
  /** Silence before TCP checks the other side. */
  keepAliveMs: 10_000,
} as const;

/** Settings of connections, spelled as PostgreSQL shows them. */
export const sessionSettings = {
  // Otherwise writes that wait for one another fail.
  default_transaction_isolation: 'read committed',
  // Compilation takes longer than a search.
  jit: 'off',
  // With the default of 4, foreign key checks scan small tables for each task.
  random_page_cost: '1.1',
  /** Threshold of pg_trgm's `<%` for misspelt words. */
  'pg_trgm.word_similarity_threshold': '0.3',
  statement_timeout: String(databaseLimits.statementMs),
  lock_timeout: String(databaseLimits.lockMs),
  idle_in_transaction_session_timeout: String(databaseLimits.idleInTransactionMs),
} as const;

const clientOptions = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'taskgate',
  keepAlive: true,
  keepAliveInitialDelayMillis: databaseLimits.keepAliveMs,
});

/** The server detects a dead connection within half a minute, instead of two hours. Some systems ignore these. */
const keepAliveSettings = { tcp_keepalives_idle: databaseLimits.keepAliveMs / 1000, tcp_keepalives_interval: 2 };

/**
 * Planning a nested read for its values takes as long as running it. Behind a transaction pooler, nothing is prepared.
 */
const planSettings = { plan_cache_mode: 'force_generic_plan' };

/** PostgreSQL splits them at blanks. */
const startupOptions = (parameters = {}) =>
  Object.entries({ ...sessionSettings, ...keepAliveSettings, ...planSettings, ...parameters })
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', String.raw`\ `)}`)
    .join(' ');

/** Replicas have no pooler and their own health. */
const replicaOptions = (url: string, max: number): pg.PoolConfig => ({
  ...clientOptions(url),
  options: startupOptions(startupParameters),
  connectionTimeoutMillis: databaseLimits.replicaConnectMs,
  idleTimeoutMillis: databaseLimits.idleMs,
  query_timeout: databaseLimits.answerMs,
  max,
});

const poolConnections = labelledGauge('taskgate_database_pool_connections', 'Open connections, by pool.', 'pool');
const poolIdle = labelledGauge('taskgate_database_pool_idle_connections', 'Unused connections, by pool.', 'pool');
const poolWaiting = labelledGauge('taskgate_database_pool_waiting', 'Callers that wait for one, by pool.', 'pool');
const poolMax = labelledGauge(
  'taskgate_database_pool_max_connections',
  'Maximum number of connections, by pool.',
  'pool',
);

export interface ConnectionOptions {
  /** Whether a pooler assigns connections by transaction: they keep neither settings nor prepared statements. */
  transactionPooling?: boolean;
  /** Bypasses the pooler, so probes do not wait for a connection. */
  directUrl?: string | undefined;
  readUrls?: readonly string[];
  poolSize?: number | undefined;
  /** Turns of the event loop, for large results. */
  turns?: Turns;
}

/**
 * The connections to a database, with their state. Without replicas, nothing connects before the first statement.
 */
export class Postgres {
  /** Pool of the Prisma client and of direct statements. */
  readonly pool: pg.Pool;
  /** Pool of statements about callers: sessions, viewers, attempts. */
  readonly sessionPool: pg.Pool;
  /** Slow readers of a cursor must not block other statements. */
  readonly cursorPool: pg.Pool;
  readonly replicas: Replicas;
  readonly isPooledByTransaction: boolean;
  readonly reads: FairQueue;
  readonly writes: FairQueue;
  readonly announcements = new Announcements();
  readonly turns: Turns;
  readonly #names = new StatementNames();
  readonly #health: DatabaseHealth;
  /** Connects for statements with their own limits. */
  readonly #UnboundedClient: typeof pg.Client;
  readonly #mainConnections: number;
  readonly #pools = new Set<Pool>();

  constructor(
    url: string,
    {
      transactionPooling = false,
      directUrl = url,
      readUrls = [],
      poolSize,
      turns = new Turns(),
    }: ConnectionOptions = {},
  ) {
    this.isPooledByTransaction = transactionPooling;
    this.turns = turns;
    this.#health = new DatabaseHealth({ connectionString: directUrl, keepAlive: true });
    this.#UnboundedClient = clientClass(this.#health);
    const options: pg.PoolConfig = {
      ...clientOptions(url),
      Client: clientClass(this.#health, databaseLimits.answerMs),
      connectionTimeoutMillis: databaseLimits.connectMs,
      idleTimeoutMillis: databaseLimits.idleMs,
      ...(!transactionPooling && { options: startupOptions() }),
    };
    const { main, session, cursor } = poolSizes(poolSize);
    this.#mainConnections = main;
    this.pool = this.#track('main', new OperationPool({ ...options, max: main }, this.#pools));
    this.sessionPool = this.#track('session', new Pool({ ...options, max: session }, this.#pools));
    const cursorOptions = { ...options, Client: this.#UnboundedClient, max: cursor };
    this.cursorPool = this.#track('cursor', new Pool(cursorOptions, this.#pools));
    const replicaPools = readUrls.map((each, index) => {
      const name = `replica_${index + 1}`;
      const opened = this.#track(name, new pg.Pool(replicaOptions(each, main + cursor)));
      opened.on('connect', (client) => measureStatements(client as unknown as pg.Client));
      return [name, opened] as const;
    });
    this.replicas = new Replicas(this.sessionPool, new Map(replicaPools), this.#names);
    this.reads = new FairQueue({ ...readPolicy, slots: this.slotsOf(readPolicy.slots) });
    this.writes = new FairQueue({ ...writePolicy, slots: this.slotsOf(writePolicy.slots) });
  }

  /** An operation's transaction may have changed its caller. */
  get accessPool(): pg.Pool {
    return currentTransaction() ? this.pool : this.sessionPool;
  }

  /** Size of {@link cursorPool}, which shrinks if the server allows no more connections. */
  get cursorConnections(): number {
    return this.cursorPool.options.max;
  }

  get isAway(): boolean {
    return !this.#health.isAvailable;
  }

  async close(): Promise<void> {
    await Promise.all([
      this.replicas.close(),
      this.pool.end(),
      this.sessionPool.end(),
      this.cursorPool.end(),
      this.#health.close(),
    ]);
  }

  /** While the database is unavailable, returns false without a probe. */
  async isReady(): Promise<boolean> {
    return this.#health.isAvailable && this.#health.check();
  }

  /** @throws {DatabaseAwayError} if commits are not acknowledged */
  checkCommits(): void {
    if (this.#health.commitsHang) throw new DatabaseAwayError('the database acknowledges no commits');
  }

  /** Outside the pools, and not open yet. Health watches it. */
  newClient(url: string): pg.Client {
    return new this.#UnboundedClient(clientOptions(url));
  }

  /** Scales a queue's slots with the size of {@link pool}. @param slots for the default size */
  slotsOf(slots: number): number {
    return Math.max(1, Math.floor((slots * this.#mainConnections) / poolSizes().main));
  }

  /** '' behind a pooler that assigns connections by transaction. */
  nameOf(text: string): string {
    return this.isPooledByTransaction ? '' : this.#names.nameOf(text);
  }

  #track<Opened extends pg.Pool>(name: string, opened: Opened): Opened {
    poolConnections.track(name, () => opened.totalCount);
    poolIdle.track(name, () => opened.idleCount);
    poolWaiting.track(name, () => opened.waitingCount);
    poolMax.track(name, () => opened.options.max);
    // Health counts and logs lost connections.
    opened.on('error', (error) => log.debug({ error: error.message }, 'an unused database connection was lost'));
    // Without a listener, an error ends the process, and the pool listens only on idle clients.
    opened.on('connect', (client) => client.on('error', () => undefined));
    opened.on('connect', (client) => this.announcements.hear(client));
    return opened;
  }
}
