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

export type Statement = Pick<Prisma.Sql, 'text' | 'values'>;

export const prepared = (text: string, values: unknown[]): pg.QueryConfig => ({
  name: nameOf(text),
  text,
  values,
});

/** For transactions, if a pooler's connections lack the settings. */
export async function makeSettings(run: (text: string, values: string[][]) => Promise<unknown>): Promise<void> {
  if (!isPooledByTransaction) return;
  await run('SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS setting (name, value)', [
    Object.keys(sessionSettings),
    Object.values(sessionSettings),
  ]);
}

/** Outside transactions, bypasses the Prisma client, whose overhead equals the time of a small write. */
export async function runSql<Row extends object>(database: Database | pg.Pool, statement: Prisma.Sql): Promise<Row[]> {
  const target = database === db ? pool : database;
  if (!(target instanceof pg.Pool)) return target.$queryRaw<Row[]>(statement);
  return rowsOf<Row>(target, statement);
}

/**
 * For a write about a caller: a session, a token, an attempt.
 * @throws {DatabaseAwayError} if commits are not acknowledged, because reads of callers need the connection
 */
export async function runSessionWrite<Row extends object>(statement: Prisma.Sql): Promise<Row[]> {
  checkCommits();
  return runSql<Row>(sessionPool, statement);
}

/** Of all operations, fair between accounts. */
export const reads = new FairQueue({ name: 'reads', slots: slotsOf(10), slotsPerKey: 4, waitingPerKey: 10_000 });

/** A transaction has a connection already. */
const inTurn = <Result>({ owner, signal, isPatient }: ResponseBudget, read: () => Promise<Result>): Promise<Result> =>
  currentTransaction() ? read() : reads.run(owner, read, { signal, isPatient });

/** For a read that depends only on the revisions of spaces. */
export const runRead = <Row extends object>(statement: Prisma.Sql, budget?: ResponseBudget): Promise<Row[]> =>
  budget ? runShared(budget, statement) : rowsOf<Row>(pool, statement);

/**
 * Runs a read outside of operations.
 * @param ms until PostgreSQL cancels it, without the wait for a connection
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

async function rowsOf<Row extends object>(on: pg.Pool | pg.PoolClient, { text, values }: Statement): Promise<Row[]> {
  // The driver would use the process' time zone, which may change the day.
  const sent = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return (await on.query<Row>(prepared(text, sent))).rows;
}

/** As {@link runShared}, for statements that depend on the session settings. */
export async function readUnderSettings<Row extends object>(
  statements: readonly Prisma.Sql[],
  budget: ResponseBudget,
): Promise<Row[][]> {
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

export interface RunRead {
  <Row extends object>(statement: Statement): Promise<Row[]>;
  budget?: ResponseBudget;
}

const readTransaction =
  <Result>(begin: string, work: (run: RunRead) => Promise<Result>) =>
  async (client: pg.PoolClient): Promise<Result> => {
    await client.query(begin);
    await makeSettings((text, values) => client.query(text, values));
    const result = await work((statement) => rowsOf(client, statement));
    await client.query('COMMIT');
    return result;
  };

/** SQLSTATE of a value above 1 GiB. */
const programLimitExceeded = '54000';

/**
 * Runs a read whose size depends on the client. Closes the connection when the received bytes exceed the budget. They
 * are counted before rows exist, because one row may have any size.
 * @throws the budget's refusal; UNAVAILABLE if the operation has too many statements; the reason of the budget's
 *   signal, which cancels the statement in PostgreSQL
 */
export function runWithin<Row extends object>(budget: ResponseBudget, statement: Prisma.Sql): Promise<Row[]> {
  // The operation's next reads must not be older.
  notePrimary(budget);
  return inTurn(budget, () => countedBy(budget, (client) => rowsOf<Row>(client, statement)));
}

/**
 * As {@link runWithin}, if the result depends only on the revisions of spaces. A replica in the budget's state may
 * serve it.
 */
export const runShared = <Row extends object>(budget: ResponseBudget, statement: Statement): Promise<Row[]> =>
  readShared(budget, (client) => rowsOf<Row>(client, statement), mayStillRun);

/** As {@link runShared}, in one snapshot. @param work may start again on another server */
export const inSnapshot = <Result>(
  budget: ResponseBudget,
  work: (run: RunRead) => Promise<Result>,
): Promise<Result> => {
  const transaction = readTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', (run) =>
    work(Object.assign(run, { budget })),
  );
  return readShared(budget, transaction, () => true);
};

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
