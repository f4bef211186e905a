import { checkCommits, type Database, databaseLimits, db, pool, slotsOf } from './database.ts';
import { makeSettings, reads } from './statements.ts';
import { FairQueue } from '../kernel/fair-queue.ts';
import type { FairKey } from '../kernel/group-counts.ts';
import { isConflict } from './errors.ts';
import { currentTransaction, OperationTransaction } from './operation.ts';

/** Writes that run at once, each on a connection; the pool's other connections are left to reads. */
export const writePolicy = {
  name: 'writes',
  slots: 12,
  slotsPerKey: 4,
  /** Of a space: the second begins its transaction while the first one commits. */
  slotsPerResource: 2,
  idle: 'behind itself',
} as const;

const writes = new FairQueue({ ...writePolicy, slots: slotsOf(writePolicy.slots) });

/** On whose behalf something is written. */
export interface Writer {
  /** Id of the account; where there is none, the client's networks. */
  id: FairKey;
  /** Ends the waiting, with UNAVAILABLE as its reason: see `Cancellation`; a write that has begun is finished. */
  signal?: AbortSignal | undefined;
}

/**
 * Has a write wait for its turn, and for what it is going to lock. Otherwise writes that wait for a lock in PostgreSQL would each
 * keep a connection, until none is left for anybody else.
 * What belongs to a transaction has a connection already, and waits no more.
 * @param locks names of what it is going to lock, such as ids of spaces
 * @param writer without one, it is on behalf of what it locks first
 * @throws UNAVAILABLE where too many wait already, or its turn does not come in time; nothing has been written then;
 *   also where the writer's signal is aborted, which is its reason
 */
export async function inTurn<Result>(
  locks: readonly string[],
  write: () => Promise<Result>,
  { id = locks[0] ?? '', signal }: Partial<Writer> = {},
): Promise<Result> {
  if (currentTransaction()) return write();
  const writeNow = () => {
    checkCommits();
    return write();
  };
  return writes.run(id, writeNow, { signal, resources: locks });
}

/**
 * Reads what a write has to know to be queued.
 * @throws UNAVAILABLE, also where the writer's signal is aborted
 */
export const beforeTurn = <Result>({ id, signal }: Writer, read: () => Promise<Result>): Promise<Result> =>
  currentTransaction() ? read() : reads.run(id, read, { signal });

/** Runs writes as one transaction as {@link transaction} does, but once. If the operation is one, they are part of that. */
export async function tryTransaction<Result>(
  locks: readonly string[],
  work: (tx: Database) => Promise<Result>,
  writer?: Partial<Writer>,
): Promise<Result> {
  const { tx: outer } = currentTransaction() ?? {};
  if (outer) return checkedAtEnd(() => work(outer));
  const underSettings = async (tx: Database) => {
    await makeSettings((text, values) => tx.$executeRawUnsafe(text, ...values));
    return work(tx);
  };
  return inTurn(locks, () => db.$transaction(underSettings, transactionOptions), writer);
}

/**
 * Runs writes as one transaction, queued by {@link inTurn}.
 * @param work its statements must go to the client that it is given; it is run again after a conflict
 * @throws UNAVAILABLE
 */
export const transaction = <Result>(
  locks: readonly string[],
  work: (tx: Database) => Promise<Result>,
  writer?: Partial<Writer>,
): Promise<Result> => retrying(() => tryTransaction(locks, work, writer));

/** Runs a write at whose end, where that is no commit, the constraints are checked that otherwise would be by the commit. */
export async function checkedAtEnd<Result>(write: () => Promise<Result>): Promise<Result> {
  const result = await write();
  if (currentTransaction()) await pool.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
  return result;
}

/**
 * Runs an operation as one transaction, on one connection: whatever it asks the database for is part of it, and what it has done
 * {@link afterCommit} is done then. It is run again after a conflict with another writer: nothing of it has happened.
 * @throws what the operation throws: it is rolled back
 */
export async function inOneTransaction<Result>(work: () => Promise<Result>, attempt = 1): Promise<Result> {
  const operation = new OperationTransaction();
  const whole = async (tx: Database) => {
    operation.tx = tx;
    try {
      await makeSettings((text, values) => tx.$executeRawUnsafe(text, ...values));
      return await work();
    } finally {
      await operation.end();
    }
  };
  const { maxWait } = transactionOptions;
  const options = { maxWait, timeout: databaseLimits.operationMs };
  let result: Result;
  try {
    result = await operation.run(() => db.$transaction(whole, options));
  } catch (error) {
    if (attempt === maxAttempts || !(operation.hasConflict || isConflict(error))) throw error;
    return inOneTransaction(work, attempt + 1);
  }
  await operation.committed();
  return result;
}

/** Longer than the pool's own deadlines: a transaction that Prisma gives up waiting for would still be opened later. */
const transactionOptions = {
  maxWait: databaseLimits.connectMs + databaseLimits.statementMs,
  timeout: databaseLimits.statementMs,
};

const maxAttempts = 5;

/**
 * Runs a write again where it was rolled back for a conflict with another writer: nothing of it has happened. What is part of a
 * transaction is left to {@link inOneTransaction}.
 */
export async function retrying<Result>(write: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isConflict(error)) throw error;
    const operation = currentTransaction();
    if (operation) operation.hasConflict = true;
    if (operation || attempt === maxAttempts) throw error;
    return retrying(write, attempt + 1);
  }
}
