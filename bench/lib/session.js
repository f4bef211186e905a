import { sign } from 'cookie-signature';
import pg from 'pg';
import { userId } from '../seed/data.js';

/** Signs the session cookies of all contenders. */
export const sessionSecret = 'a-secret-of-the-benchmark-alone';

const lifetime = 14 * 24 * 60 * 60 * 1000;

/** @param {number} account */
export const cookieOf = (account) => `sid=${encodeURIComponent(`s:${sign(`bench-${account}`, sessionSecret)}`)}`;

/** Session table of the hand-written peer, as connect-pg-simple defines it. */
export const peerSessions = 'peer_sessions';

/**
 * Creates the session rows of an account, for Taskgate and the hand-written peer.
 * @param {pg.Client} client
 * @param {number} account
 */
export async function signIn(client, account) {
  const expires = new Date(Date.now() + lifetime);
  const cookie = { originalMaxAge: lifetime, expires, httpOnly: true, path: '/', sameSite: 'lax', secure: false };
  const sid = `bench-${account}`;
  await client.query('INSERT INTO sessions (sid, id, user_id, device, expire) VALUES ($1, $1, $2, $3, $4)', [
    sid,
    userId(account),
    'Benchmark',
    expires,
  ]);
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${peerSessions} (sid text PRIMARY KEY, sess json NOT NULL, expire timestamptz NOT NULL)`,
  );
  await client.query(`INSERT INTO ${peerSessions} (sid, sess, expire) VALUES ($1, $2, $3)`, [
    sid,
    JSON.stringify({ cookie, userId: userId(account) }),
    expires,
  ]);
}
