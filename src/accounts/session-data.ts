import { randomBytes } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.ts';
import type { ResponseBudget } from '../kernel/budget.ts';
import type { Viewer } from '../kernel/context.ts';
import { db, sessionPool } from '../database/database.ts';
import { runSessionWrite, runSql, runWithin } from '../database/statements.ts';
import { prune } from '../database/prune.ts';

const { sql } = Prisma;

const hour = 60 * 60;
const day = 24 * hour;

/** Seconds after its last use at which a session ends. */
export const idleSeconds = 14 * day;

/** Seconds after the sign-in at which a session ends however often it is used (OWASP ASVS 7.3.2). */
export const maxAgeSeconds = 90 * day;

/** Seconds after which a use of a session or token is noted again, so that reads do not write. */
export const renewalSeconds = hour;

/** A session that was ended before its time. */
export interface EndedSession {
  sid: string;
  userId: string;
}

/**
 * Ends sessions, the only statement that does. It waits for no write: those lock the row's key alone. They look at
 * `expire` under that lock, so that none begins from the commit on; it becomes a moment that is past for every
 * statement, also for one that began before this and reads it afterwards. The row stays until {@link deleteSessions}.
 * @param which a condition on `sessions`
 */
export const ending = (which: Prisma.Sql) => sql`/* endSessions */
  UPDATE sessions SET expire = created_at WHERE ${which} AND expire > now() RETURNING sid, user_id AS "userId"`;

interface ShownSession {
  id: string;
  device: string;
  createdAt: Date;
  lastUsedAt: Date;
  current: boolean;
}

/**
 * An account's sessions, the current one first, then by last use.
 * @param sid of the current one
 */
export const findSessions = (
  userId: string,
  sid: string | undefined,
  budget: ResponseBudget,
): Promise<ShownSession[]> =>
  runWithin<ShownSession>(
    budget,
    sql`
      SELECT id, device, created_at AS "createdAt", last_used_at AS "lastUsedAt",
        sid IS NOT DISTINCT FROM ${sid ?? null} AS current
      FROM sessions WHERE user_id = ${userId} AND expire > now()
      ORDER BY current DESC, last_used_at DESC, created_at DESC, id DESC`,
  );

/**
 * Ends what an account has of sessions beyond a number, to make room for one: those of its device first, as a program that
 * signs in for each request is to end none but its own; of those the ones that were not used for longest. One that another
 * statement has at that moment is left to the next sign-in, so that two that end the same sessions do not wait for each
 * other in a circle.
 * @param sid of the one for which they make room
 */
export const endSessionsBeyond = (max: number, sid: string, userId: string, device: string): Promise<EndedSession[]> =>
  runSessionWrite<EndedSession>(
    ending(sql`sid IN (
      SELECT sid FROM sessions WHERE sid IN (
        SELECT sid FROM sessions WHERE user_id = ${userId} AND expire > now()
        ORDER BY sid = ${sid} DESC, device = ${device}, last_used_at DESC, created_at DESC, sid OFFSET ${max}
      ) FOR NO KEY UPDATE SKIP LOCKED
    )`),
  );

/** @returns the session that has ended by this; none where it had ended already */
export const endSession = (sid: string): Promise<EndedSession[]> =>
  runSessionWrite<EndedSession>(ending(sql`sid = ${sid}`));

/**
 * Ends sessions or access tokens of the viewer's account, on the viewer's word.
 * @param endingOf ends those of a condition
 * @param run runs the statement, if it is part of a transaction
 * @returns those that have ended by this; null where the viewer's own session had ended before
 */
export async function endOnWordOf<Ended>(
  viewer: Viewer,
  endingOf: (isOwn: Prisma.Sql) => Prisma.Sql,
  run: <Row extends object>(statement: Prisma.Sql) => Promise<Row[]> = runSessionWrite,
): Promise<Ended[] | null> {
  const isLive = sql`EXISTS (SELECT FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now())`;
  const [row] = await run<{ isLive: boolean; ended: Ended[] }>(
    sql`
      WITH ended AS (${endingOf(sql`user_id = ${viewer.id} AND ${isLive}`)})
      SELECT ${isLive} AS "isLive", (SELECT coalesce(json_agg(ended), '[]') FROM ended) AS ended`,
  );
  return row?.isLive ? row.ended : null;
}

/** As {@link endOnWordOf}. @param which one of them by its id; undefined: all but the viewer's own */
export function endSessionsOf(viewer: Viewer, which: string | undefined): Promise<EndedSession[] | null> {
  const named = which === undefined ? sql`sid <> ${viewer.sessionId}` : sql`id = ${which}`;
  return endOnWordOf(viewer, (isOwn) => ending(sql`${isOwn} AND ${named}`));
}

/** Whether a session has not ended, and its user authenticated within this many seconds: each sign-in makes a new one. */
export async function wasAuthenticatedWithin(sid: string, seconds: number): Promise<boolean> {
  const recent = await runSql<object>(
    sessionPool,
    sql`
      SELECT sid FROM sessions
      WHERE sid = ${sid} AND expire > now() AND created_at > now() - make_interval(secs => ${seconds}::float8)`,
  );
  return recent.length > 0;
}

/** Deletes sessions that have ended: waits until the writes that they had begun are committed. */
export const deleteSessions = (ended: readonly EndedSession[]) =>
  runSql(db, sql`/* deleteSessions */ DELETE FROM sessions WHERE sid = ANY (${ended.map(({ sid }) => sid)})`);

/** A session id that nobody guesses: 192 random bits. */
export const newSessionId = () => randomBytes(24).toString('base64url');

/**
 * Notes that the session is used, and has it live on. One that has ended stays ended. If another transaction has
 * the row (renews it, ends it, writes on its behalf) it is not waited for: the next request renews.
 */
export async function renewSession(sid: string): Promise<void> {
  await runSessionWrite(
    sql`/* renewSession */
      UPDATE sessions SET last_used_at = now(), expire = least(
        now() + make_interval(secs => ${idleSeconds}::float8),
        created_at + make_interval(secs => ${maxAgeSeconds}::float8)
      )
      WHERE sid IN (
        SELECT sid FROM sessions
        WHERE sid = ${sid} AND expire > now()
          AND last_used_at <= now() - make_interval(secs => ${renewalSeconds}::float8)
        FOR NO KEY UPDATE SKIP LOCKED
      )`,
  );
}

export interface PrunedSession {
  userId: string;
  /** Why it ended by itself; null where it was ended. */
  reason: 'idle' | 'max_age' | null;
}

/**
 * Deletes sessions that have ended. connect-pg-simple would do it by the clock of the process.
 * @param each called for each of them
 * @returns how many
 */
export const pruneSessions = (each: (session: PrunedSession) => void) =>
  prune<PrunedSession>(
    { table: 'sessions', key: 'sid', moment: 'expire' },
    {
      columns: sql`
        user_id AS "userId",
        CASE WHEN expire > created_at THEN
          CASE WHEN expire < created_at + make_interval(secs => ${maxAgeSeconds}::float8) THEN 'idle' ELSE 'max_age' END
        END AS reason`,
      each,
    },
  );
