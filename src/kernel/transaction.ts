import { type Database, databaseLimits, db, underSettings } from './database.ts';
import { KeyedLimiter } from './keyed-limiter.ts';
import { isConflict } from './refusals.ts';

/** Bounds of the writes that run at once. */
export const writeLimits = {
  /** Of one key: while one waits for its commit, the next is made ready. */
  perKey: 2,
  /** Of all keys: the other connections are left to reads. */
  inAll: 12,
  /** Writes of one key that wait; one more is refused. */
  waitingPerKey: 1_000,
  /** Milliseconds for which a write waits for its turn; then it is refused. */
  waitMs: 10_000,
} as const;

const { perKey, inAll, waitingPerKey, waitMs } = writeLimits;
const turns = new KeyedLimiter({ concurrency: perKey, maxWaiting: waitingPerKey, maxWaitMs: waitMs });
const places = new KeyedLimiter({ concurrency: inAll, maxWaiting: inAll * waitingPerKey, maxWaitMs: waitMs });

/**
 * Does a write when it is its turn among those of the same keys: what waits for a lock that another one holds waits
 * here, and takes no connection that others need.
 * @param keys what it is going to lock, such as ids of spaces
 * @throws UNAVAILABLE where too many wait already, or its turn does not come in time; nothing has been written then
 */
export const inTurn = <Result>(keys: readonly string[], write: () => Promise<Result>): Promise<Result> =>
  turns.run(keys, () => places.run('', () => retrying(write)));

/**
 * Runs writes as one transaction, in their turn.
 * @param keys what it is going to lock
 * @param work its statements must go to the client that it is given; it is run again after a conflict
 * @throws UNAVAILABLE
 */
export const transaction = <Result>(
  keys: readonly string[],
  work: (tx: Database) => Promise<Result>,
): Promise<Result> => inTurn(keys, () => db.$transaction(underSettings(work), transactionOptions));

/** The pool's own deadline comes first: what Prisma gives up waiting for would go on by itself. */
const transactionOptions = {
  maxWait: databaseLimits.connectMs + databaseLimits.statementMs,
  timeout: databaseLimits.statementMs,
};

const mostAttempts = 5;

/** Runs a write again where it was rolled back for a conflict with another writer: nothing of it has happened. */
async function retrying<Result>(write: () => Promise<Result>, attempt = 1): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (attempt === mostAttempts || !isConflict(error)) throw error;
    return retrying(write, attempt + 1);
  }
}
