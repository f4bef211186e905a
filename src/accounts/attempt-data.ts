import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSessionWrite, runSql } from '../database/statements.ts';
import { attemptWindowSeconds as windowSeconds } from '../kernel/rate-limit-policies.ts';

const { sql } = Prisma;

/** Seconds after which an attempt without an outcome counts as a failure: its process has ended. */
const tryingSeconds = 60;

const inWindow = sql`at > now() - make_interval(secs => ${windowSeconds}::float8)`;
const hasFailed = sql`(failed OR at <= now() - make_interval(secs => ${tryingSeconds}::float8))`;

export interface KeyLimit {
  key: string;
  failures: number;
}

/** What came of the wish to try. */
interface Beginning {
  /** Of the try, one for each key; null where it may not be made, or not now. */
  ids: string[] | null;
  /** The key whose failures refuse it for longest; null if it has to wait for attempts in flight. */
  refusedBy: string | null;
  /** Seconds until they no longer do. */
  retryAfter: number | null;
}

/**
 * Begins an attempt if, for each of the keys, failures and attempts in flight are fewer than its limit. One statement,
 * on the connections of sessions: no write is waited for.
 */
export async function begin(limits: readonly KeyLimit[]): Promise<Beginning> {
  const keys = limits.map(({ key }) => key);
  const failures = limits.map((limit) => limit.failures);
  const [row] = await runSessionWrite<Beginning>(
    sql`
      SELECT ids::text[], refused_by AS "refusedBy", retry_after AS "retryAfter"
      FROM begin_attempt(${keys}, ${failures}, ${windowSeconds}::float8, ${tryingSeconds}::float8)`,
  );
  return row ?? { ids: null, refusedBy: null, retryAfter: null };
}

/** A try has failed. @returns how often it has by now, for each of its keys */
export const fail = (ids: readonly string[]): Promise<KeyLimit[]> =>
  runSessionWrite<KeyLimit>(
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

/** A try does not count: it has succeeded, or nothing is known of it. */
export const forget = (ids: readonly string[]) =>
  runSessionWrite(sql`DELETE FROM password_attempts WHERE id = ANY (${[...ids]}::bigint[])`);

/** As part of a transaction, what has failed of a key counts no more. */
export const forgive = (tx: Database, key: string) =>
  runSql(tx, sql`/* forgiveAttempts */ DELETE FROM password_attempts WHERE subject = ${key}`);
