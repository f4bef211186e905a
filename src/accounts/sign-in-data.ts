import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { newId } from '../kernel/ids.ts';
import { type EndedSession, ending, idleSeconds, maxAgeSeconds, newSessionId } from './session-data.ts';

const { sql } = Prisma;

/** Seconds for which a device is known after its last sign-in: for as long as its session may live, and as long again. */
export const deviceSeconds = 2 * maxAgeSeconds;

/** New devices of an account within 24 hours of which its user is notified. */
const maxNewDevicesPerDay = 10;

export interface SignIn {
  userId: string;
  /** The hash that the password was checked against; undefined: it is by something else than a password. */
  passwordHash: string | undefined;
  /** What it is by, as its user is shown. */
  device: string;
  /** By what the account knows the device. */
  fingerprint: string;
  /** The session that the caller had before, which ends by it. */
  replaces: string | undefined;
}

/** A session that was made, and the one that ended by it. */
export interface MadeSession {
  id: string;
  userId: string;
  createdAt: Date;
  /** Whether to notify its user of the new device: only a limited number of times a day. */
  isNewDevice: boolean;
  ended: EndedSession[];
}

/**
 * Makes a session, the only statement that does. It takes a lock on the account that a change of the password waits
 * for (`changePassword`), and the other way round: either the change is seen here, or it sees the session and ends it.
 * @returns null where the account has another password by now: nothing has happened then
 */
export async function insertSession(
  database: Database,
  { userId, passwordHash, device, fingerprint, replaces }: SignIn,
): Promise<MadeSession | null> {
  const newDevices = sql`(
    SELECT count(*) FROM known_devices WHERE user_id = ${userId} AND first_seen_at > now() - make_interval(days => 1)
  )`;
  const isChecked = passwordHash === undefined ? sql`true` : sql`password_hash = ${passwordHash}`;
  const [made] = await runSql<MadeSession>(
    database,
    sql`
      WITH account AS MATERIALIZED (
        SELECT id FROM users WHERE id = ${userId} AND ${isChecked} FOR SHARE
      ), replaced AS (
        ${ending(sql`sid = ${replaces ?? null} AND EXISTS (SELECT FROM account)`)}
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
