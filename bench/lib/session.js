import { sign } from 'cookie-signature';
import pg from 'pg';
import { userId } from '../seed/data.js';

/** Signs the session cookies of all contenders that have sessions. */
export const sessionSecret = 'a-secret-of-the-benchmark-alone';

const lifetime = 14 * 24 * 60 * 60 * 1000;

/** @param {number} account */
export const cookieOf = (account) => `sid=${encodeURIComponent(`s:${sign(`bench-${account}`, sessionSecret)}`)}`;

/**
 * Signs an account in: the row that a sign-in would leave behind.
 * @param {pg.Client} client
 * @param {number} account
 */
export async function signIn(client, account) {
  const expires = new Date(Date.now() + lifetime);
  const cookie = { originalMaxAge: lifetime, expires, httpOnly: true, path: '/', sameSite: 'lax', secure: false };
  const session = { cookie, userId: userId(account), renewedAt: Date.now() };
  await client.query('INSERT INTO sessions (sid, sess, expire) VALUES ($1, $2, $3)', [
    `bench-${account}`,
    JSON.stringify(session),
    expires,
  ]);
}
