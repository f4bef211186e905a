import pg from 'pg';
import type { Prisma } from '../generated/prisma/client.ts';
import { type ResponseBudget, ResponseTooLarge, maxResponseBytes } from '../kernel/budget.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import { LateError } from '../kernel/within.ts';
import { mayStillRun, streamOf, withConnection } from './connection.ts';
import {
  checkCommits,
  type Database,
  db,
  isPooledByTransaction,
  nameOf,
  pool,
  sessionPool,
  sessionSettings,
  slotsOf,
} from './database.ts';
import { destroyConnection } from './health.ts';
import { currentTransaction, ownConnection } from './operation.ts';
import { UnfitError, notePrimary, preferReplica } from './replicas.ts';

/** The text of a statement, and its values. */
export type Statement = Pick<Prisma.Sql, 'text' | 'values'>;

/** A statement for the driver, under a name of its text. */
export const prepared = (text: string, values: unknown[]): pg.QueryConfig => ({
  name: nameOf(text),
  text,
  values,
});

/** Makes the settings for a transaction, where a pooler's connections do not come with them: `run` is within it. */
export async function makeSettings(run: (text: string, values: string[][]) => Promise<unknown>): Promise<void> {
  if (!isPooledByTransaction) return;
  await run('SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS setting (name, value)', [
    Object.keys(sessionSettings),
    Object.values(sessionSettings),
  ]);
}

/**
 * Runs a statement and answers its rows. One that is no part of a transaction goes past the Prisma client, which takes
 * as long over a statement in SQL as PostgreSQL over a small write.
 * @param database the client, a pool, or the transaction that the statement belongs to
 */
export async function runSql<Row extends object>(database: Database | pg.Pool, statement: Prisma.Sql): Promise<Row[]> {
  const target = database === db ? pool : database;
  if (!(target instanceof pg.Pool)) return target.$queryRaw<Row[]>(statement);
  return rowsOf<Row>(target, statement);
}

/**
 * Runs a statement that records its caller: a session, a token, an attempt, a count.
 * @throws {DatabaseAwayError} where its commit would not be acknowledged: reads of callers need the connection
 */
export async function runSessionWrite<Row extends object>(statement: Prisma.Sql): Promise<Row[]> {
  checkCommits();
  return runSql<Row>(sessionPool, statement);
}

/** Statements that only read, of all operations and by account. */
export const reads = new FairQueue({ name: 'reads', slots: slotsOf(10), slotsPerKey: 4, waitingPerKey: 10_000 });

/** Does what reads for an operation when it is its account's turn. What belongs to a transaction has a connection already. */
const inTurn = <Result>({ owner, signal, isPatient }: ResponseBudget, read: () => Promise<Result>): Promise<Result> =>
  currentTransaction() ? read() : reads.run(owner, read, { signal, isPatient });

/**
 * Runs a statement that reads only what the revisions of spaces cover, and answers its rows.
 * @param budget of the operation that it belongs to, where it is one's: see {@link runShared}
 */
export const runRead = <Row extends object>(statement: Prisma.Sql, budget?: ResponseBudget): Promise<Row[]> =>
  budget ? runShared(budget, statement) : rowsOf<Row>(pool, statement);

/**
 * Runs a statement that only reads, for no operation, and answers its rows.
 * @param ms milliseconds until it is cancelled in PostgreSQL, from when it has a connection
 * @throws {LateError}
 */
export function runReadFor<Row extends object>(statement: Prisma.Sql, ms: number): Promise<Row[]> {
  const deadline = new AbortController();
  return withConnection(pool, deadline.signal, async (client) => {
    const timer = setTimeout(() => deadline.abort(new LateError(`no answer within ${ms} ms`)), ms);
    try {
      return await rowsOf<Row>(client, statement);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Runs a statement on a connection, or on any of a pool. */
async function rowsOf<Row extends object>(on: pg.Pool | pg.PoolClient, { text, values }: Statement): Promise<Row[]> {
  // The driver would write a moment in the process' own time zone, which changes the day of a date.
  const sent = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return (await on.query<Row>(prepared(text, sent))).rows;
}

/** Runs statements as {@link runShared} does, where they depend on the settings, and answers the rows of each. */
export async function readUnderSettings<Row extends object>(
  statements: readonly Prisma.Sql[],
  budget: ResponseBudget,
): Promise<Row[][]> {
  // A transaction that the operation is has its settings already.
  if (!isPooledByTransaction || currentTransaction()) {
    return Promise.all(statements.map((each) => runShared<Row>(budget, each)));
  }
  const transaction = readTransaction('BEGIN READ ONLY', async (run) => {
    const results: Row[][] = [];
    for (const statement of statements) results.push(await run<Row>(statement));
    return results;
  });
  return readShared(budget, transaction, () => true);
}

/** Runs a statement of a transaction and answers its rows. */
export interface RunRead {
  <Row extends object>(statement: Statement): Promise<Row[]>;
  /** That the transaction reads within, where it has one. */
  budget?: ResponseBudget;
}

/** Reads in a separate transaction, with the settings that a pooler's connections do not come with. @param begin its first statement */
const readTransaction =
  <Result>(begin: string, work: (run: RunRead) => Promise<Result>) =>
  async (client: pg.PoolClient): Promise<Result> => {
    await client.query(begin);
    await makeSettings((text, values) => client.query(text, values));
    const result = await work((statement) => rowsOf(client, statement));
    await client.query('COMMIT');
    return result;
  };

/** SQLSTATE of a value beyond what PostgreSQL can hold: 1 GiB. */
const programLimitExceeded = '54000';

/**
 * Runs a statement whose rows a client decides over, and answers them. Its connection is cut as soon as more has come over
 * it than the budget allows: one row may have any size, so that its bytes have to be counted before there is a row.
 * @throws the budget's refusal; UNAVAILABLE where the operation has more statements than it gets done; the reason of the
 *   budget's signal, which cancels the statement in PostgreSQL
 */
export function runWithin<Row extends object>(budget: ResponseBudget, statement: Prisma.Sql): Promise<Row[]> {
  // What the operation reads next is to be no older.
  notePrimary(budget);
  return inTurn(budget, () => countedBy(budget, (client) => rowsOf<Row>(client, statement)));
}

/**
 * Runs a statement as {@link runWithin} does, which reads only what the revisions of spaces cover: a replica may answer
 * it that has caught up with what the budget's caller may have seen.
 */
export const runShared = <Row extends object>(budget: ResponseBudget, statement: Statement): Promise<Row[]> =>
  readShared(budget, (client) => rowsOf<Row>(client, statement), mayStillRun);

/**
 * Runs statements that read one snapshot of the database, and only what the revisions of spaces cover, as {@link runShared} does.
 * @param work the statements, by what it is given; it may be begun again on another server
 */
export const inSnapshot = <Result>(
  budget: ResponseBudget,
  work: (run: RunRead) => Promise<Result>,
): Promise<Result> => {
  const transaction = readTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (run) =>
    work(Object.assign(run, { budget })),
  );
  return readShared(budget, transaction, () => true);
};

/** @param breaks see {@link withConnection} */
const readShared = <Result>(
  budget: ResponseBudget,
  read: (client: pg.PoolClient) => Promise<Result>,
  breaks: (error: unknown) => boolean,
): Promise<Result> =>
  inTurn(budget, () =>
    preferReplica(budget, pool, (from, first) => {
      const checked = async (client: pg.PoolClient) => {
        await first?.(client);
        return read(client);
      };
      return countedBy(budget, checked, (error) => breaks(error) && !(error instanceof UnfitError), from);
    }),
  );

/** Reads on a connection that is cut where what comes over it is more than the budget allows. */
async function countedBy<Result>(
  budget: ResponseBudget,
  read: (client: pg.PoolClient) => Promise<Result>,
  breaks?: (error: unknown) => boolean,
  from = pool,
): Promise<Result> {
  const { signal } = budget;
  budget.requireOpen();
  try {
    const counted = (client: pg.PoolClient) => {
      const stream = streamOf(client);
      const count = (chunk: Buffer) => {
        budget.countRead(chunk.length);
        if (budget.refusal) destroyConnection(ownConnection(client));
      };
      stream.on('data', count);
      return read(client).finally(() => stream.off('data', count));
    };
    return await withConnection(from, signal, counted, breaks);
  } catch (error) {
    signal?.throwIfAborted();
    budget.requireOpen();
    if (error instanceof pg.DatabaseError && error.code === programLimitExceeded) {
      throw new ResponseTooLarge(maxResponseBytes);
    }
    throw error;
  }
}
