import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import { hearAnnouncements } from './announcements.ts';
import { clientClass } from './client.ts';
import { DatabaseAwayError, DatabaseHealth } from './health.ts';
import { log } from '../kernel/logger.ts';
import { labelledGauge } from '../kernel/metrics.ts';
import { currentTransaction, OperationPool } from './operation.ts';
import { Pool } from './pool.ts';
import { poolSizes } from './pool-sizes.ts';
import { closeReplicas, openReplicas } from './replicas.ts';
import { measureStatements } from './statement-times.ts';
import { statementName } from './statement-names.ts';

export const databaseLimits = {
  connectMs: 10_000,
  /** After it, the primary serves the read. */
  replicaConnectMs: 2_000,
  /** Long, because new connections take threads that also hash passwords. */
  idleMs: 60_000,
  statementMs: 30_000,
  /** Includes the commit, which the server does not limit. The server's own limit must come first. */
  answerMs: 32_000,
  lockMs: 5_000,
  idleInTransactionMs: 15_000,
  /** Until then, an operation in one transaction keeps its locks. */
  operationMs: 5_000,
  /** Silence before TCP checks the other side. */
  keepAliveMs: 10_000,
} as const;

export let db: PrismaClient;

/** Of the Prisma client, and for direct statements. */
export let pool: pg.Pool;

let mainConnections = poolSizes().main;

/** For statements about callers: sessions, viewers, attempts. */
export let sessionPool: pg.Pool;

/** Slow readers of a cursor must not block other statements. */
export let cursorPool: pg.Pool;

/** An operation's transaction may have changed its caller. */
export const accessPool = (): pg.Pool => (currentTransaction() ? pool : sessionPool);

let health: DatabaseHealth;
let Client: typeof pg.Client;
/** For statements with their own limits. */
let UnboundedClient: typeof pg.Client;

export type { Database } from './prisma-client.ts';

/** As PostgreSQL shows them. Poolers keep `TimeZone`, a startup parameter. */
export const sessionSettings = {
  // Compilation takes longer than a search.
  jit: 'off',
  // With the default of 4, foreign key checks scan small tables for each task.
  random_page_cost: '1.1',
  /** For misspelt words, in pg_trgm's `<%`. */
  'pg_trgm.word_similarity_threshold': '0.3',
  statement_timeout: String(databaseLimits.statementMs),
  lock_timeout: String(databaseLimits.lockMs),
  idle_in_transaction_session_timeout: String(databaseLimits.idleInTransactionMs),
} as const;

/** A pooler assigns connections by transaction: they keep neither settings nor prepared statements. */
export let isPooledByTransaction = false;

const clientOptions = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'taskgate',
  keepAlive: true,
  keepAliveInitialDelayMillis: databaseLimits.keepAliveMs,
});

/** The server detects a dead connection within half a minute, instead of two hours. Some systems ignore these. */
const keepAliveSettings = { tcp_keepalives_idle: databaseLimits.keepAliveMs / 1000, tcp_keepalives_interval: 2 };

/**
 * Planning a nested read for its values takes as long as running it. Behind a pooler that assigns connections by
 * transaction, nothing is prepared, and plans for values are better.
 */
const planSettings = { plan_cache_mode: 'force_generic_plan' };

const startupOptions = () =>
  Object.entries({ ...sessionSettings, ...keepAliveSettings, ...planSettings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Replicas have no pooler and their own health. */
const replicaOptions = (url: string, max: number): pg.PoolConfig => ({
  ...clientOptions(url),
  options: `${startupOptions()} -c TimeZone=UTC`,
  connectionTimeoutMillis: databaseLimits.replicaConnectMs,
  idleTimeoutMillis: databaseLimits.idleMs,
  query_timeout: databaseLimits.answerMs,
  max,
});

const poolOptions = (url: string): pg.PoolConfig => ({
  ...clientOptions(url),
  Client,
  connectionTimeoutMillis: databaseLimits.connectMs,
  idleTimeoutMillis: databaseLimits.idleMs,
  ...(!isPooledByTransaction && { options: startupOptions() }),
});

const poolConnections = labelledGauge('taskgate_database_pool_connections', 'Open connections, by pool.', 'pool');
const poolIdle = labelledGauge('taskgate_database_pool_idle_connections', 'Unused connections, by pool.', 'pool');
const poolWaiting = labelledGauge('taskgate_database_pool_waiting', 'Callers that wait for one, by pool.', 'pool');
const poolMax = labelledGauge(
  'taskgate_database_pool_max_connections',
  'Maximum number of connections, by pool.',
  'pool',
);

function openPool(name: string, options: pg.PoolConfig, Class: typeof pg.Pool = Pool): pg.Pool {
  const opened = new Class(options);
  poolConnections.track(name, () => opened.totalCount);
  poolIdle.track(name, () => opened.idleCount);
  poolWaiting.track(name, () => opened.waitingCount);
  poolMax.track(name, () => opened.options.max);
  // Health counts and logs lost connections.
  opened.on('error', (error) => log.debug({ error: error.message }, 'an unused database connection was lost'));
  // Without a listener, an error ends the process, and the pool listens only on idle clients.
  opened.on('connect', (client) => client.on('error', () => undefined));
  opened.on('connect', hearAnnouncements);
  return opened;
}

let connected: { to: string; apps: number } | undefined;

/**
 * Opens the pools and the client, which a process' apps share. Without replicas, nothing connects before the first
 * statement.
 * @param options.poolSize connections in all pools
 * @param options.readUrls see `replicas.ts`
 * @param options.directUrl bypasses the pooler, so probes do not wait for a connection
 */
export function connectDatabase(
  url: string,
  {
    transactionPooling = false,
    directUrl = url,
    readUrls = [],
    poolSize,
  }: { transactionPooling?: boolean; directUrl?: string | undefined; readUrls?: string[]; poolSize?: number } = {},
): void {
  const to = JSON.stringify([url, directUrl, readUrls, transactionPooling, poolSize]);
  if (connected && connected.to !== to) throw new Error('the process is connected to another database');
  connected ??= { to, apps: 0 };
  connected.apps += 1;
  if (connected.apps > 1) return;
  isPooledByTransaction = transactionPooling;
  health = new DatabaseHealth({ connectionString: directUrl, keepAlive: true });
  Client = clientClass(health, databaseLimits.answerMs);
  UnboundedClient = clientClass(health);
  const options = poolOptions(url);
  const { main, session, cursor } = poolSizes(poolSize);
  mainConnections = main;
  pool = openPool('main', { ...options, max: main }, OperationPool);
  sessionPool = openPool('session', { ...options, max: session });
  cursorPool = openPool('cursor', { ...options, Client: UnboundedClient, max: cursor });
  const replicaPools = readUrls.map((each, index) => {
    const name = `replica_${index + 1}`;
    const opened = openPool(name, replicaOptions(each, main + cursor), pg.Pool);
    opened.on('connect', (client) => measureStatements(client as unknown as pg.Client));
    return [name, opened] as const;
  });
  openReplicas(sessionPool, new Map(replicaPools));
  db = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => nameOf(sql) }),
    errorFormat: 'minimal',
  });
}

export async function disconnectDatabase(): Promise<void> {
  if (connected && (connected.apps -= 1) > 0) return;
  connected = undefined;
  await db.$disconnect();
  await Promise.all([closeReplicas(), pool.end(), sessionPool.end(), cursorPool.end(), health.close()]);
}

/** While the database is unavailable, returns false without a probe. */
export const isDatabaseReady = async (): Promise<boolean> => health.isAvailable && health.check();

/** @throws {DatabaseAwayError} if commits are not acknowledged */
export function checkCommits(): void {
  if (health.commitsHang) throw new DatabaseAwayError('the database acknowledges no commits');
}

export const isDatabaseAway = (): boolean => !health.isAvailable;

/** Outside the pools, and not open yet. Health watches it. */
export const newClient = (url: string): pg.Client => new UnboundedClient(clientOptions(url));

/** Scales a queue's slots with the size of {@link pool}. @param slots for the default size */
export const slotsOf = (slots: number) => (): number =>
  Math.max(1, Math.floor((slots * mainConnections) / poolSizes().main));

export const cursorConnections = (): number => cursorPool.options.max;

/** '' if {@link isPooledByTransaction}. */
export const nameOf = (text: string): string => (isPooledByTransaction ? '' : statementName(text));
