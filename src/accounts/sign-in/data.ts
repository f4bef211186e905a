import { type Queryable, runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import { newId } from '../../platform/ids.ts';
import { isRecent } from '../../platform/recent.ts';
import { type EndedSession, endSessionsWhere, idleSeconds, maxAgeSeconds, newSessionId } from '../sessions/data.ts';

const { sql } = Prisma;

export const deviceSeconds = 2 * maxAgeSeconds;

const maxNewDevicesPerDay = 10;

export interface SignIn {
  userId: string;
  /** Undefined for a sign-in without a password. */
  passwordHash: string | undefined;
  device: string;
  fingerprint: string;
  /** Session that ends. */
  replaces: string | undefined;
}

export interface MadeSession {
  id: string;
  userId: string;
  createdAt: Date;
  /** False after too many new devices in a day. */
  isNewDevice: boolean;
  ended: EndedSession[];
}

/**
 * No other statement inserts a session. It locks the account: either it sees the new password of `changePassword`, or
 * that sees and ends the session.
 * @returns null if the password was changed
 */
export async function insertSession(
  database: Queryable,
  { userId, passwordHash, device, fingerprint, replaces }: SignIn,
): Promise<MadeSession | null> {
  const newDevices = sql`(
    SELECT count(*) FROM known_devices WHERE user_id = ${userId} AND ${isRecent('first_seen_at', 24 * 60 * 60)}
  )`;
  const isChecked = passwordHash === undefined ? sql`true` : sql`password_hash = ${passwordHash}`;
  const [made] = await runSql<MadeSession>(
    database,
    sql`
      WITH account AS MATERIALIZED (
        SELECT id FROM users WHERE id = ${userId} AND ${isChecked} FOR SHARE
      ), replaced AS (
        ${endSessionsWhere(sql`sid = ${replaces ?? null} AND EXISTS (SELECT FROM account)`)}
      ), made AS (
        INSERT INTO sessions (sid, id, user_id, device, expire)
        SELECT ${newSessionId()}, ${newId('Session')}, id, ${device}, now() + make_interval(secs => ${idleSeconds}::float8) FROM account
        RETURNING sid, user_id, created_at
      ), device AS (
        INSERT INTO known_devices (user_id, fingerprint) SELECT id, ${fingerprint} FROM account
        ON CONFLICT (user_id, fingerprint) DO UPDATE SET last_seen_at = now()
        -- Of a row that was there before, xmax names this transaction.
        RETURNING xmax = 0 AS is_new
      )
      SELECT sid AS id, user_id AS "userId", created_at AS "createdAt", is_new AND ${newDevices} < ${maxNewDevicesPerDay} AS "isNewDevice",
        (SELECT coalesce(json_agg(replaced), '[]') FROM replaced) AS ended
      FROM made, device`,
  );
  return made ?? null;
}
