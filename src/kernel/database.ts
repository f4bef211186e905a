import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { log } from './logger.ts';

/** Bounds of what is asked of the database: nothing waits for it without end. Times in milliseconds. */
export const databaseLimits = {
  /** Connections for operations. */
  connections: 20,
  /** Connections for sessions, viewers and counts of attempts: to sign in never waits behind what operations do. */
  sessionConnections: 8,
  /** Until a connection is there, a free one or a new one. */
  connectMs: 10_000,
  /** Without use until a connection is closed: to open one waits for threads that hash passwords as well. */
  idleMs: 60_000,
  /** One statement. */
  statementMs: 30_000,
  /** One lock that another transaction holds. */
  lockMs: 5_000,
  /** Between two statements of a transaction. */
  idleInTransactionMs: 15_000,
  /** The connection, and then the answer, of the probe behind `/readyz`: both together are its deadline. */
  probeMs: 1_000,
} as const;

/** The Prisma client; one database a process, set by {@link connectDatabase}. */
export let db: PrismaClient;

/** The connection pool below the Prisma client, for statements that go past it. */
export let pool: pg.Pool;

/** The pool of all that says who asks: sessions, viewers, counts of attempts. */
export let sessionPool: pg.Pool;

let probePool: pg.Pool;

/** A Prisma client or an open transaction of it. */
export type Database = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>;

/** How alike a word must be to count as a misspelling, for pg_trgm's `<%`. */
const likeness = 0.3;

/** What each connection of the pools is opened with. */
function connectionOptions(url: string): pg.PoolConfig {
  const { connectMs, idleMs, statementMs, lockMs, idleInTransactionMs } = databaseLimits;
  const settings = {
    TimeZone: 'UTC',
    // Compiling a search to machine code takes longer than the search.
    jit: 'off',
    'pg_trgm.word_similarity_threshold': likeness,
    statement_timeout: statementMs,
    lock_timeout: lockMs,
    idle_in_transaction_session_timeout: idleInTransactionMs,
  };
  return {
    connectionString: url,
    application_name: 'taskgate',
    connectionTimeoutMillis: connectMs,
    idleTimeoutMillis: idleMs,
    keepAlive: true,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
  };
}

function openPool(options: pg.PoolConfig): pg.Pool {
  const opened = new pg.Pool(options);
  opened.on('error', (error) => log.warn({ error: error.message }, 'a database connection was lost'));
  // The pool listens to idle clients alone, and an error that nobody listens to ends the process. What was to be done
  // on the connection fails by itself, and is told by whoever asked for it.
  opened.on('connect', (client) => client.on('error', () => undefined));
  return opened;
}

/** Opens the pools and the client; nothing connects before the first statement. */
export function connectDatabase(url: string): void {
  const options = connectionOptions(url);
  const { connections, sessionConnections, probeMs } = databaseLimits;
  pool = openPool({ ...options, max: connections });
  sessionPool = openPool({ ...options, max: sessionConnections });
  probePool = openPool({ ...options, max: 1, connectionTimeoutMillis: probeMs, query_timeout: probeMs });
  db = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) }),
    errorFormat: 'minimal',
  });
}

export async function disconnectDatabase(): Promise<void> {
  await db.$disconnect();
  await Promise.all([pool.end(), sessionPool.end(), probePool.end()]);
}

let probe: Promise<boolean> | undefined;

/** Whether the database answers in time, on a connection that nothing else waits for; all who ask at once share a probe. */
export function isDatabaseReady(): Promise<boolean> {
  probe ??= probePool
    .query('SELECT')
    .then(
      () => true,
      () => false,
    )
    .finally(() => (probe = undefined));
  return probe;
}

/**
 * Runs a statement and answers its rows. One that is no part of a transaction goes past the Prisma client, which takes
 * as long over a statement in SQL as PostgreSQL over a small write.
 * @param database the client, a pool, or the transaction that the statement belongs to
 */
export async function runSql<Row extends object>(database: Database | pg.Pool, statement: Prisma.Sql): Promise<Row[]> {
  const target = database === db ? pool : database;
  if (!(target instanceof pg.Pool)) return target.$queryRaw<Row[]>(statement);
  const { text, values } = statement;
  // The driver would write a moment in the process' own time zone, which changes the day of a date.
  const sent = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return (await target.query<Row>({ name: statementName(text), text, values: sent })).rows;
}

const statementNames = new Map<string, string>();

/**
 * UTF-16 code units of all texts that are given names. Each connection keeps the plans of those that it has run, some
 * 200 bytes a code unit: clients' queries of ever new shapes must not fill the memory of PostgreSQL.
 */
const mostNamed = 150_000;
let named = 0;

/** Names a statement by its text, so that each connection parses and plans a repeated one once. */
function statementName(text: string): string {
  const known = statementNames.get(text);
  if (known) return known;
  if (named + text.length > mostNamed) return '';
  const name = `taskgate_${statementNames.size}`;
  statementNames.set(text, name);
  named += text.length;
  return name;
}
