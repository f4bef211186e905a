import { Prisma } from '../generated/prisma/client.ts';
import { runSql, sessionPool } from '../kernel/database.ts';
import { prune } from '../kernel/prune.ts';

const { sql } = Prisma;

/** Contract decisions: ten failures in 15 minutes, then 429. */
const maxFailures = 10;
const windowSeconds = 15 * 60;

/** Seconds after which a try of which nothing more was heard is a failure: its process has ended. */
const tryingSeconds = 60;

/** What came of the wish to try. */
interface Beginning {
  /** Of the try; null where it may not be made, or not now. */
  id: bigint | null;
  /** Seconds until a failure no longer counts; null where failures are not what refuses. */
  retryAfter: number | null;
}

/**
 * Begins a try where failures and tries under way are fewer than ten. One statement, on the connections of sessions: no
 * write is waited for.
 */
export async function begin(subject: string): Promise<Beginning> {
  const [row] = await runSql<Beginning>(
    sessionPool,
    sql`
      SELECT id, retry_after AS "retryAfter"
      FROM begin_attempt(${subject}, ${maxFailures}::int, ${windowSeconds}::float8, ${tryingSeconds}::float8)`,
  );
  return row ?? { id: null, retryAfter: null };
}

/** A try has failed. */
export const fail = (id: bigint) =>
  runSql(sessionPool, sql`UPDATE password_attempts SET failed = true WHERE id = ${id}`);

/** A try has succeeded: it does not count. */
export const forget = (id: bigint) => runSql(sessionPool, sql`DELETE FROM password_attempts WHERE id = ${id}`);

/** Deletes failures that no longer count. @returns how many */
export const pruneAttempts = () =>
  prune({ table: 'password_attempts', key: 'id', moment: 'at', keptSeconds: windowSeconds });
