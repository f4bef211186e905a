import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Prisma, PrismaClient } from '../generated/prisma/client.ts';
import { log } from './logger.ts';
import { isConflict } from './refusals.ts';

/** The Prisma client; one database a process, set by {@link connectDatabase}. */
export let db: PrismaClient;

/** The connection pool below the Prisma client, for libraries that speak to PostgreSQL themselves. */
export let pool: pg.Pool;

/** A Prisma client or an open transaction of it. */
export type Database = Omit<PrismaClient, '$connect' | '$disconnect' | '$on' | '$transaction' | '$use' | '$extends'>;

/** How alike a word must be to count as a misspelling, for pg_trgm's `<%`. */
const likeness = 0.3;

/** Opens the pool and the client; nothing connects before the first statement. */
export function connectDatabase(url: string): void {
  pool = new pg.Pool({
    connectionString: url,
    application_name: 'taskgate',
    max: 20,
    // Compiling a search to machine code takes longer than the search.
    options: `-c pg_trgm.word_similarity_threshold=${likeness} -c TimeZone=UTC -c jit=off`,
  });
  pool.on('error', (error) => log.warn({ error: error.message }, 'a database connection was lost'));
  db = new PrismaClient({
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => statementName(sql) }),
    errorFormat: 'minimal',
  });
}

export async function disconnectDatabase(): Promise<void> {
  await db.$disconnect();
  await pool.end();
}

/**
 * Runs a rule's writes as one transaction.
 * @param work its statements must go to the client that it is given; it is run again after a conflict
 */
export const transaction = <Result>(work: (tx: Database) => Promise<Result>): Promise<Result> =>
  retrying(() => db.$transaction(work, { maxWait: 10_000, timeout: 30_000 }));

const mostAttempts = 5;

/**
 * Runs a write that is one statement, again where it was rolled back for a conflict with another
 * writer: that is nobody's fault, and nothing of it has happened.
 */
export async function retrying<Result>(write: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (attempt === mostAttempts || !isConflict(error)) throw error;
    return retrying(write, attempt + 1);
  }
}

/**
 * Runs a statement and answers its rows. One that is no part of a transaction goes past the Prisma client, which takes
 * as long over a statement in SQL as PostgreSQL over a small write.
 * @param database the client, or the transaction that the statement belongs to
 */
export async function runSql<Row extends object>(database: Database, statement: Prisma.Sql): Promise<Row[]> {
  if (database !== db) return database.$queryRaw<Row[]>(statement);
  const { text, values } = statement;
  // The driver would write a moment in the process' own time zone, which changes the day of a date.
  const sent = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return (await pool.query<Row>({ name: statementName(text), text, values: sent })).rows;
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

/**
 * Makes the transaction the only writer of these spaces until it ends, as every writer that reads
 * before it writes (a last sort key, a neighbour) must be.
 */
export async function lockSpaces(tx: Database, spaceIds: readonly string[]): Promise<void> {
  await tx.$executeRaw`SELECT lock_spaces(${[...new Set(spaceIds)]})`;
}
