import { Prisma } from '../generated/prisma/client.ts';
import { type Database, runSql, sessionPool } from '../kernel/database.ts';
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

/** Begins a try where failures and tries under way are fewer than ten. */
export async function begin(tx: Database, subject: string): Promise<Beginning> {
  // The count is read by a statement of its own, as one reads what was committed before it began.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${subject}, 0))`;
  const [row] = await runSql<Beginning>(
    tx,
    sql`
      WITH counted AS (
        SELECT at, failed OR at <= now() - make_interval(secs => ${tryingSeconds}::float8) AS failed
        FROM password_attempts
        WHERE subject = ${subject} AND at > now() - make_interval(secs => ${windowSeconds}::float8)
      ), begun AS (
        INSERT INTO password_attempts (subject)
        SELECT ${subject} WHERE (SELECT count(*) FROM counted) < ${maxFailures}
        RETURNING id
      ), oldest AS (
        SELECT at FROM counted WHERE failed ORDER BY at DESC OFFSET ${maxFailures - 1} LIMIT 1
      )
      SELECT (SELECT id FROM begun) AS id,
        (SELECT extract(epoch FROM at - now())::float8 + ${windowSeconds} FROM oldest) AS "retryAfter"`,
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
