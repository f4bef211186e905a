import { randomBytes } from 'node:crypto';
import { prune, type Reader, runSessionRead, runSessionWrite, runSql, readOnPrimary } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Connections } from '../../platform/database.ts';
import { isRecent } from '../../platform/recent.ts';

const { sql } = Prisma;

const hour = 60 * 60;
const day = 24 * hour;

export const idleSeconds = 14 * day;

/** Ends even a session in use (OWASP ASVS 7.3.2). */
export const maxAgeSeconds = 90 * day;

/** Least time between two recorded uses of a session or token. */
export const renewalSeconds = hour;

export interface EndedSession {
  sid: string;
  userId: string;
}

/**
 * No other statement ends sessions. It does not wait for writers, which lock only the row's key. They check `expire`
 * under that lock, so none begins after the commit. For every statement, the new `expire` is past. The row stays until
 * {@link deleteSessions}.
 */
export const endSessionsWhere = (which: Prisma.Sql) => sql`/* endSessions */
  UPDATE sessions SET expire = created_at WHERE ${which} AND expire > now() RETURNING sid, user_id AS "userId"`;

interface ShownSession {
  id: string;
  device: string;
  createdAt: Date;
  lastUsedAt: Date;
  current: boolean;
}

/** The current one, then by last use. */
export const findSessions = (reader: Reader, userId: string, sid: string | undefined): Promise<ShownSession[]> =>
  readOnPrimary<ShownSession>(
    reader,
    sql`
      SELECT id, device, created_at AS "createdAt", last_used_at AS "lastUsedAt",
        sid IS NOT DISTINCT FROM ${sid ?? null} AS current
      FROM sessions WHERE user_id = ${userId} AND expire > now()
      ORDER BY current DESC, last_used_at DESC, created_at DESC, id DESC`,
  );

/**
 * Ends sessions beyond `max`: first on the same device, then the least recently used. A program that signs in for each
 * request thus ends only its own. Skips locked rows, which prevents deadlocks.
 * @param sid the new session, which stays
 */
export const endExcessSessions = (
  connections: Connections,
  max: number,
  sid: string,
  userId: string,
  device: string,
): Promise<EndedSession[]> =>
  runSessionWrite<EndedSession>(
    connections,
    endSessionsWhere(sql`sid IN (
      SELECT sid FROM sessions WHERE sid IN (
        SELECT sid FROM sessions WHERE user_id = ${userId} AND expire > now()
        ORDER BY sid = ${sid} DESC, device = ${device}, last_used_at DESC, created_at DESC, sid OFFSET ${max}
      ) FOR NO KEY UPDATE SKIP LOCKED
    )`),
  );

/** @returns empty if it had already ended */
export const endSession = (connections: Connections, sid: string): Promise<EndedSession[]> =>
  runSessionWrite<EndedSession>(connections, endSessionsWhere(sql`sid = ${sid}`));

/** @returns null if the viewer's own session has ended; then ends nothing */
export async function endWhileSignedIn<Ended>(
  viewer: Viewer,
  endWhere: (isOwn: Prisma.Sql) => Prisma.Sql,
  run: <Row extends object>(statement: Prisma.Sql) => Promise<Row[]> = (statement) =>
    runSessionWrite(viewer.connections, statement),
): Promise<Ended[] | null> {
  const isLive = sql`EXISTS (SELECT FROM sessions WHERE sid = ${viewer.sessionId} AND expire > now())`;
  const [row] = await run<{ isLive: boolean; ended: Ended[] }>(
    sql`
      WITH ended AS (${endWhere(sql`user_id = ${viewer.id} AND ${isLive}`)})
      SELECT ${isLive} AS "isLive", (SELECT coalesce(json_agg(ended), '[]') FROM ended) AS ended`,
  );
  return row?.isLive ? row.ended : null;
}

/** @param which undefined for all but the viewer's own */
export function endSessionsOf(viewer: Viewer, which: string | undefined): Promise<EndedSession[] | null> {
  const isSelected = which === undefined ? sql`sid <> ${viewer.sessionId}` : sql`id = ${which}`;
  return endWhileSignedIn(viewer, (isOwn) => endSessionsWhere(sql`${isOwn} AND ${isSelected}`));
}

/** Whether the session began within the time: each sign-in makes a new session. */
export async function wasAuthenticatedWithin(
  { connections, sessionId: sid }: Viewer,
  seconds: number,
): Promise<boolean> {
  const recent = await runSessionRead<object>(
    connections,
    sql`
      SELECT sid FROM sessions
      WHERE sid = ${sid} AND expire > now() AND ${isRecent('created_at', seconds)}`,
  );
  return recent.length > 0;
}

/** Waits for their writes. */
export const deleteSessions = (connections: Connections, ended: readonly EndedSession[]) =>
  runSql(connections, sql`/* deleteSessions */ DELETE FROM sessions WHERE sid = ANY (${ended.map(({ sid }) => sid)})`);

/** 192 random bits. */
export const newSessionId = () => randomBytes(24).toString('base64url');

/** If the row is locked, the next request renews the session. */
export async function renewSession(connections: Connections, sid: string): Promise<void> {
  await runSessionWrite(
    connections,
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

interface PrunedSession {
  userId: string;
  /** Null if ended explicitly. */
  reason: 'idle' | 'max_age' | null;
}

/** Deletes expired sessions, by the database's clock, unlike connect-pg-simple. */
export const pruneSessions = (connections: Connections, each: (session: PrunedSession) => void) =>
  prune<PrunedSession>(
    connections,
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
