import { type Database, databaseLimits, db, underSettings } from './database.ts';
import { KeyedLimiter } from './keyed-limiter.ts';
import { isConflict } from './refusals.ts';

/** Bounds of the writes that run at once. */
export const writeLimits = {
  /** Writes of one key: the second begins its transaction while the first one commits. */
  perKey: 2,
  /** Writes of all keys together; the pool's other connections are left to reads. */
  inAll: 12,
  /** Waiting writes of one key; further ones are refused. */
  waitingPerKey: 1_000,
  /** Milliseconds for which a write waits for its turn; then it is refused. */
  waitMs: 10_000,
} as const;

const { perKey, inAll, waitingPerKey, waitMs } = writeLimits;
const turns = new KeyedLimiter({ concurrency: perKey, maxWaiting: waitingPerKey, maxWaitMs: waitMs });
const places = new KeyedLimiter({ concurrency: inAll, maxWaiting: inAll * waitingPerKey, maxWaitMs: waitMs });

/**
 * Queues a write behind others of the same keys. Otherwise writes that wait for a lock in PostgreSQL would each keep a
 * connection, until none is left for anybody else.
 * @param keys names of what it is going to lock, such as ids of spaces
 * @throws UNAVAILABLE where too many wait already, or its turn does not come in time; nothing has been written then
 */
export const inTurn = <Result>(keys: readonly string[], write: () => Promise<Result>): Promise<Result> =>
  turns.run(keys, () => places.run('', write));

/**
 * Runs writes as one transaction, queued by {@link inTurn}.
 * @param keys names of what it is going to lock
 * @param work its statements must go to the client that it is given; it is run again after a conflict
 * @throws UNAVAILABLE
 */
export const transaction = <Result>(
  keys: readonly string[],
  work: (tx: Database) => Promise<Result>,
): Promise<Result> => retrying(() => inTurn(keys, () => db.$transaction(underSettings(work), transactionOptions)));

/** Longer than the pool's own deadlines: a transaction that Prisma gives up waiting for would still be opened later. */
const transactionOptions = {
  maxWait: databaseLimits.connectMs + databaseLimits.statementMs,
  timeout: databaseLimits.statementMs,
};

const mostAttempts = 5;

/** Runs a write again where it was rolled back for a conflict with another writer: nothing of it has happened. */
export async function retrying<Result>(write: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (attempt === mostAttempts || !isConflict(error)) throw error;
    return retrying(write, attempt + 1);
  }
}
