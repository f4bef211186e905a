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

/** Bounds of what is asked of the database: nothing waits for it without end. Times in milliseconds. */
export const databaseLimits = {
  /** Until there is a free connection, or a new one; see also `client.ts`. */
  connectMs: 10_000,
  /** The same of a read replica: where it takes longer, the primary answers. */
  replicaConnectMs: 2_000,
  /** Without use until a connection is closed: to open one waits for threads that hash passwords as well. */
  idleMs: 60_000,
  /** One statement. */
  statementMs: 30_000,
  /** One statement with its commit, for which the server has no bound: later than its word on the statement alone. */
  answerMs: 32_000,
  /** One lock that another transaction holds. */
  lockMs: 5_000,
  /** Between two statements of a transaction. */
  idleInTransactionMs: 15_000,
  /** An operation that is one transaction: it holds its locks to the end, and others wait for them. */
  operationMs: 5_000,
  /** Without a word from the other side until TCP asks whether it is still there, at both ends of a connection. */
  keepAliveMs: 10_000,
} as const;

/** The Prisma client; one database a process, set by {@link connectDatabase}. */
export let db: PrismaClient;

/** The connection pool below the Prisma client, for statements that go past it. */
export let pool: pg.Pool;

/** Connections of {@link pool} that are configured. */
let mainConnections = poolSizes().main;

/** The pool of all statements about callers: sessions, viewers, counts of attempts. */
export let sessionPool: pg.Pool;

/** The pool of cursors, which are held up by whom their rows are sent to: no other statement waits for them. */
export let cursorPool: pg.Pool;

/** The pool by which an operation reads its caller: {@link sessionPool}, but for one that may have changed that in its transaction. */
export const accessPool = (): pg.Pool => (currentTransaction() ? pool : sessionPool);

let health: DatabaseHealth;
let Client: typeof pg.Client;
/** Of connections whose statements have their own bounds. */
let UnboundedClient: typeof pg.Client;

/** A Prisma client or an open transaction of it. */
export type Database = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>;

/**
 * Settings of each session, in the form in which PostgreSQL shows them. `TimeZone` is not among them: it is a separate parameter, so that
 * poolers keep it for each client.
 */
export const sessionSettings = {
  // Compiling a search to machine code takes longer than the search.
  jit: 'off',
  // PostgreSQL's own, 4, is that of disks that turn: by it a foreign key of few rows is checked by going through all of them, once
  // for each task.
  random_page_cost: '1.1',
  /** How alike a word must be to count as a misspelling, for pg_trgm's `<%`. */
  'pg_trgm.word_similarity_threshold': '0.3',
  statement_timeout: String(databaseLimits.statementMs),
  lock_timeout: String(databaseLimits.lockMs),
  idle_in_transaction_session_timeout: String(databaseLimits.idleInTransactionMs),
} as const;

/** Whether a pooler gives each transaction any of its connections, which keep neither settings nor prepared statements. */
export let isPooledByTransaction = false;

const clientOptions = (url: string): pg.ClientConfig => ({
  connectionString: url,
  application_name: 'taskgate',
  keepAlive: true,
  keepAliveInitialDelayMillis: databaseLimits.keepAliveMs,
});

/**
 * By these the server notices within half a minute that a connection of ours has gone without a word: after a failure of
 * the network its own default is to keep it, and its place among `max_connections`, for two hours. Some systems ignore them.
 */
const keepAliveSettings = { tcp_keepalives_idle: databaseLimits.keepAliveMs / 1000, tcp_keepalives_interval: 2 };

/**
 * Prepared statements are planned once a connection: to plan a nested read for its values takes as long as to run it. Behind a pooler of
 * transactions nothing is prepared, and a plan for the values is the better one.
 */
const planSettings = { plan_cache_mode: 'force_generic_plan' };

/** Startup options of connections that nobody shares. */
const startupOptions = () =>
  Object.entries({ ...sessionSettings, ...keepAliveSettings, ...planSettings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');

/** Connections of replicas: what the primary's health says is nothing to them. They come without a pooler. */
const replicaOptions = (url: string, max: number): pg.PoolConfig => ({
  ...clientOptions(url),
  options: `${startupOptions()} -c TimeZone=UTC`,
  connectionTimeoutMillis: databaseLimits.replicaConnectMs,
  idleTimeoutMillis: databaseLimits.idleMs,
  query_timeout: databaseLimits.answerMs,
  max,
});

/** What each connection of the pools is opened with. */
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

/** @param name names the pool in metrics */
function openPool(name: string, options: pg.PoolConfig, Class: typeof pg.Pool = Pool): pg.Pool {
  const opened = new Class(options);
  poolConnections.track(name, () => opened.totalCount);
  poolIdle.track(name, () => opened.idleCount);
  poolWaiting.track(name, () => opened.waitingCount);
  poolMax.track(name, () => opened.options.max);
  // Connections that are lost are counted and logged by health.
  opened.on('error', (error) => log.debug({ error: error.message }, 'an unused database connection was lost'));
  // The pool listens to idle clients alone, and an error that nobody listens to ends the process. What was to be done
  // on the connection fails by itself, and is logged by its caller.
  opened.on('connect', (client) => client.on('error', () => undefined));
  opened.on('connect', hearAnnouncements);
  return opened;
}

/** The database of the process, and how many apps in it use it. */
let connected: { to: string; apps: number } | undefined;

/**
 * Opens the pools and the client; without replicas nothing connects before the first statement. All apps of a process share them: they are
 * closed with the last.
 * @param options.poolSize connections of all pools together
 * @param options.readUrls of replicas, see `replicas.ts`
 * @param options.transactionPooling see {@link isPooledByTransaction}
 * @param options.directUrl leads past the pooler: a probe does not wait there until one of its connections is free
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

/** Whether the database answers, by a probe that is made now; while it is away, by the last one. */
export const isDatabaseReady = async (): Promise<boolean> => health.isAvailable && health.check();

/** To be called before a write begins. @throws {DatabaseAwayError} where its commit would not be acknowledged */
export function checkCommits(): void {
  if (health.commitsHang) throw new DatabaseAwayError('the database acknowledges no commits');
}

/** Whether the database is known not to answer at the moment. */
export const isDatabaseAway = (): boolean => !health.isAvailable;

/** A connection outside the pools, not yet open, that health watches as it does theirs. */
export const newClient = (url: string): pg.Client => new UnboundedClient(clientOptions(url));

/**
 * Slots of a queue whose work takes connections for operations, as many of these as there are.
 * @param slots where their number is the default
 */
export const slotsOf = (slots: number) => (): number =>
  Math.max(1, Math.floor((slots * mainConnections) / poolSizes().main));

/** Connections of {@link cursorPool} at most. */
export const cursorConnections = (): number => cursorPool.options.max;

/** Under what name a statement is prepared. Behind a pooler of transactions no connection keeps one: it has none. */
export const nameOf = (text: string): string => (isPooledByTransaction ? '' : statementName(text));
