import pg from 'pg';
import type { Sql } from '@prisma/client/runtime/client';
import { LateError } from '@taskgate/base';
import { maxResponseBytes, ResponseTooLarge } from '@taskgate/work';
import { mayStillRun, streamOf, withConnection } from './connection.ts';
import { destroyConnection } from './health.ts';
import { currentTransaction, ownConnection } from './operation.ts';
import { Postgres, sessionSettings } from './postgres.ts';
import { budgetOf, type ReadBudget } from './read-budget.ts';
import { UnfitError } from './replicas.ts';

export type Statement = Pick<Sql, 'text' | 'values'>;

/** Caller of a read, such as a viewer. It selects the connection and limits the size. */
export interface Reader {
  connections: Postgres;
  /** Budget of the operation. Absent outside of operations: each read has its own. */
  budget?: ReadBudget | undefined;
  /** Account that the reads are queued for. */
  id?: string;
}

/** A database, a Prisma client or one of its transactions, for SQL. */
export type Queryable = Postgres | { $queryRaw<Rows>(statement: Sql): PromiseLike<Rows> };

export const prepared = (connections: Postgres, text: string, values: unknown[]): pg.QueryConfig => ({
  name: connections.nameOf(text),
  text,
  values,
});

/** Makes settings in a transaction, if a pooler's connections lack them. */
export async function makeSettings(
  { isPooledByTransaction }: Postgres,
  run: (text: string, values: string[][]) => Promise<unknown>,
): Promise<void> {
  if (!isPooledByTransaction) return;
  await run('SELECT set_config(name, value, true) FROM unnest($1::text[], $2::text[]) AS setting (name, value)', [
    Object.keys(sessionSettings),
    Object.values(sessionSettings),
  ]);
}

/** Outside transactions, bypasses the Prisma client, whose overhead equals the time of a small write. */
export async function runSql<Row extends object>(database: Queryable, statement: Sql): Promise<Row[]> {
  if (!(database instanceof Postgres)) return database.$queryRaw<Row[]>(statement);
  return rowsOf<Row>(database, database.pool, statement);
}

export const runSessionRead = <Row extends object>(connections: Postgres, statement: Sql): Promise<Row[]> =>
  rowsOf<Row>(connections, connections.sessionPool, statement);

/**
 * For a write about a caller: a session, a token, an attempt.
 * @throws {DatabaseAwayError} if commits are not acknowledged, because reads of callers need the connection
 */
export async function runSessionWrite<Row extends object>(connections: Postgres, statement: Sql): Promise<Row[]> {
  connections.checkCommits();
  return rowsOf<Row>(connections, connections.sessionPool, statement);
}

/** A transaction has a connection already. */
const inTurn = <Result>(
  { reads }: Postgres,
  { owner, signal, isPatient }: ReadBudget,
  read: () => Promise<Result>,
): Promise<Result> => (currentTransaction() ? read() : reads.run(owner, read, { signal, isPatient }));

/**
 * Runs a read outside of operations.
 * @param ms until PostgreSQL cancels it, without the wait for a connection
 * @throws {LateError}
 */
export function readWithDeadline<Row extends object>(
  connections: Postgres,
  statement: Sql,
  ms: number,
): Promise<Row[]> {
  const deadline = new AbortController();
  return withConnection(connections.pool, deadline.signal, async (client) => {
    const timer = setTimeout(() => deadline.abort(new LateError(`no answer within ${ms} ms`)), ms);
    try {
      return await rowsOf<Row>(connections, client, statement);
    } finally {
      clearTimeout(timer);
    }
  });
}

async function rowsOf<Row extends object>(
  connections: Postgres,
  on: pg.Pool | pg.PoolClient,
  { text, values }: Statement,
): Promise<Row[]> {
  // The driver would use the process' time zone, which may change the day.
  const sent = values.map((value) => (value instanceof Date ? value.toISOString() : value));
  return (await on.query<Row>(prepared(connections, text, sent))).rows;
}

/** As {@link readOnAny}, for statements that depend on the session settings. */
export async function readUnderSettings<Row extends object>(
  reader: Reader,
  statements: readonly Sql[],
): Promise<Row[][]> {
  const { connections } = reader;
  const budget = budgetOf(reader);
  // An operation's transaction has the settings already.
  if (!connections.isPooledByTransaction || currentTransaction()) {
    return Promise.all(statements.map((each) => readOnAny<Row>({ connections, budget }, each)));
  }
  const transaction = readTransaction(connections, 'BEGIN READ ONLY', async (run) => {
    const results: Row[][] = [];
    for (const statement of statements) results.push(await run<Row>(statement));
    return results;
  });
  return readShared(connections, budget, transaction, () => true);
}

/** Runs a read in a snapshot. */
export interface Snapshot {
  <Row extends object>(statement: Statement): Promise<Row[]>;
  reader: Reader;
}

type RunStatement = <Row extends object>(statement: Statement) => Promise<Row[]>;

/** Reads in a transaction with the session settings. @param begin first statement */
const readTransaction =
  <Result>(connections: Postgres, begin: string, work: (run: RunStatement) => Promise<Result>) =>
  async (client: pg.PoolClient): Promise<Result> => {
    await client.query(begin);
    await makeSettings(connections, (text, values) => client.query(text, values));
    const result = await work((statement) => rowsOf(connections, client, statement));
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
export function readOnPrimary<Row extends object>(reader: Reader, statement: Sql): Promise<Row[]> {
  const { connections } = reader;
  const budget = budgetOf(reader);
  // The operation's next reads must not be older.
  connections.replicas.notePrimary(budget);
  const read = (client: pg.PoolClient) => rowsOf<Row>(connections, client, statement);
  return inTurn(connections, budget, () => countedBy(budget, connections.pool, read));
}

/**
 * As {@link readOnPrimary}, if the result depends only on the revisions of spaces. A replica in the budget's state may
 * serve it.
 */
export const readOnAny = <Row extends object>(reader: Reader, statement: Statement): Promise<Row[]> => {
  const { connections } = reader;
  return readShared(
    connections,
    budgetOf(reader),
    (client) => rowsOf<Row>(connections, client, statement),
    mayStillRun,
  );
};

/** As {@link readOnAny}, in one snapshot. @param work may start again on another server */
export const readInSnapshot = <Result>(reader: Reader, work: (run: Snapshot) => Promise<Result>): Promise<Result> => {
  const { connections } = reader;
  const budget = budgetOf(reader);
  const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
  const transaction = readTransaction(connections, begin, (run) =>
    work(Object.assign(run, { reader: { connections, budget } })),
  );
  return readShared(connections, budget, transaction, () => true);
};

const readShared = <Result>(
  connections: Postgres,
  budget: ReadBudget,
  read: (client: pg.PoolClient) => Promise<Result>,
  breaks: (error: unknown) => boolean,
): Promise<Result> =>
  inTurn(connections, budget, () =>
    connections.replicas.prefer(budget, connections.pool, (from, first) => {
      const checked = async (client: pg.PoolClient) => {
        await first?.(client);
        return read(client);
      };
      return countedBy(budget, from, checked, (error) => breaks(error) && !(error instanceof UnfitError));
    }),
  );

async function countedBy<Result>(
  budget: ReadBudget,
  from: pg.Pool,
  read: (client: pg.PoolClient) => Promise<Result>,
  breaks?: (error: unknown) => boolean,
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
