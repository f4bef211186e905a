import { runSessionWrite, runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Connections, Database } from '../../platform/database.ts';
import { attemptWindowSeconds as windowSeconds } from '../../platform/rate-limit-policies.ts';
import { isRecent } from '../../platform/recent.ts';

const { sql } = Prisma;

/** Older attempts without an outcome count as failures: their process died. */
const tryingSeconds = 60;

const inWindow = isRecent('at', windowSeconds);
const hasFailed = sql`(failed OR at <= now() - make_interval(secs => ${tryingSeconds}::float8))`;

interface KeyLimit {
  key: string;
  failures: number;
}

interface AttemptStart {
  /** An id for each key. Null if the attempt may not start now. */
  ids: string[] | null;
  /** Key that refuses for longest. Null to wait for attempts in flight. */
  refusedBy: string | null;
  /** Seconds until that key accepts attempts. */
  retryAfter: number | null;
}

/** Failures plus attempts in flight stay under each limit. The pool of sessions has no long writes. */
export async function begin(connections: Connections, limits: readonly KeyLimit[]): Promise<AttemptStart> {
  const keys = limits.map(({ key }) => key);
  const failures = limits.map((limit) => limit.failures);
  const [row] = await runSessionWrite<AttemptStart>(
    connections,
    sql`
      SELECT ids::text[], refused_by AS "refusedBy", retry_after AS "retryAfter"
      FROM begin_attempt(${keys}, ${failures}, ${windowSeconds}::float8, ${tryingSeconds}::float8)`,
  );
  return row ?? { ids: null, refusedBy: null, retryAfter: null };
}

/** @returns the failures of each key, including this one */
export const fail = (connections: Connections, ids: readonly string[]): Promise<KeyLimit[]> =>
  runSessionWrite<KeyLimit>(
    connections,
    sql`
      WITH now_failed AS (
        UPDATE password_attempts SET failed = true WHERE id = ANY (${[...ids]}::bigint[]) RETURNING id, subject
      )
      SELECT subject AS key, 1 + (
        SELECT count(*)::int FROM password_attempts AS other
        WHERE other.subject = now_failed.subject AND other.id <> now_failed.id AND ${inWindow} AND ${hasFailed}
      ) AS failures
      FROM now_failed`,
  );

export const forget = (connections: Connections, ids: readonly string[]) =>
  runSessionWrite(connections, sql`DELETE FROM password_attempts WHERE id = ANY (${[...ids]}::bigint[])`);

export const forgive = (tx: Database, key: string) =>
  runSql(tx, sql`/* forgiveAttempts */ DELETE FROM password_attempts WHERE subject = ${key}`);
