import { currentTransaction, databaseLimits, isConflict, makeSettings, OperationTransaction } from '@taskgate/postgres';
import type { FairKey } from '@taskgate/work';
import type { Connections, Database } from './database.ts';

export interface Writer {
  /** Of the account; without one, the client's networks. */
  id: FairKey;
  /** Ends the wait with UNAVAILABLE (`Cancellation`), but not a write that has begun. */
  signal?: AbortSignal | undefined;
}

/**
 * Queues a write until its turn and its locks are free. Writes that wait in PostgreSQL would occupy all connections.
 * @param locks such as ids of spaces
 * @param writer default: the first lock
 * @throws UNAVAILABLE before any write, if the queue is full or the wait too long; the reason of the signal
 */
export async function inTurn<Result>(
  connections: Connections,
  locks: readonly string[],
  write: () => Promise<Result>,
  { id = locks[0] ?? '', signal }: Partial<Writer> = {},
): Promise<Result> {
  if (currentTransaction()) return write();
  const writeNow = () => {
    connections.checkCommits();
    return write();
  };
  return connections.writes.run(id, writeNow, { signal, resources: locks });
}

/** Queues a read that must precede a write. @throws UNAVAILABLE; the reason of the signal */
export const inReadTurn = <Result>(
  { reads }: Connections,
  { id, signal }: Writer,
  read: () => Promise<Result>,
): Promise<Result> => (currentTransaction() ? read() : reads.run(id, read, { signal }));

/** As {@link transaction}, without retries. Joins an operation's transaction. */
export async function tryTransaction<Result>(
  connections: Connections,
  locks: readonly string[],
  work: (tx: Database) => Promise<Result>,
  writer?: Partial<Writer>,
): Promise<Result> {
  const { tx: outer } = currentTransaction() ?? {};
  if (outer) return checkedAtEnd(connections, () => work(outer as Database));
  const underSettings = async (tx: Database) => {
    await makeSettings(connections, (text, values) => tx.$executeRawUnsafe(text, ...values));
    return work(tx);
  };
  return inTurn(connections, locks, () => connections.db.$transaction(underSettings, transactionOptions), writer);
}

/**
 * Runs writes in one transaction, queued by {@link inTurn}.
 * @param work must use the given client; runs again after a conflict
 * @throws UNAVAILABLE
 */
export const transaction = <Result>(
  connections: Connections,
  locks: readonly string[],
  work: (tx: Database) => Promise<Result>,
  writer?: Partial<Writer>,
): Promise<Result> => retrying(() => tryTransaction(connections, locks, work, writer));

/** In a larger transaction, checks deferred constraints as a commit would. */
export async function checkedAtEnd<Result>({ pool }: Connections, write: () => Promise<Result>): Promise<Result> {
  const result = await write();
  if (currentTransaction()) await pool.query('SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED');
  return result;
}

/**
 * Runs an operation in one transaction on one connection. Retries after conflicts.
 * @throws the operation's error, after a rollback
 */
export async function inOneTransaction<Result>(
  connections: Connections,
  work: () => Promise<Result>,
  attempt = 1,
): Promise<Result> {
  const operation = new OperationTransaction();
  const whole = async (tx: Database) => {
    operation.tx = tx;
    try {
      await makeSettings(connections, (text, values) => tx.$executeRawUnsafe(text, ...values));
      return await work();
    } finally {
      await operation.end();
    }
  };
  const { maxWait } = transactionOptions;
  const options = { maxWait, timeout: databaseLimits.operationMs };
  let result: Result;
  try {
    result = await operation.run(() => connections.db.$transaction(whole, options));
  } catch (error) {
    if (attempt === maxAttempts || !(operation.hasConflict || isConflict(error))) throw error;
    return inOneTransaction(connections, work, attempt + 1);
  }
  await operation.committed();
  return result;
}

/** Above the pool's own limits, or a transaction could open after Prisma has stopped waiting. */
const transactionOptions = {
  maxWait: databaseLimits.connectMs + databaseLimits.statementMs,
  timeout: databaseLimits.statementMs,
};

const maxAttempts = 5;

/** Retries a write that a conflict rolled back. Within an operation, {@link inOneTransaction} retries. */
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
