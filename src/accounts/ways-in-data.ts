import type { Database } from '../database/database.ts';

/**
 * Counts what an account can sign in by: password, passkeys, linked providers. The account is locked until the transaction ends, so
 * that of two that remove one each, the second sees the first.
 */
export async function countWaysIn(tx: Database, userId: string): Promise<number> {
  await tx.$queryRaw`SELECT FROM users WHERE id = ${userId} FOR UPDATE`;
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT (password_hash IS NOT NULL)::int + (provider IS NOT NULL)::int
      + (SELECT count(*)::int FROM passkeys WHERE user_id = users.id) AS count
    FROM users WHERE id = ${userId}`;
  return row?.count ?? 0;
}
