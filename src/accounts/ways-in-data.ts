import { Prisma } from '../generated/prisma/client.ts';
import type { Database } from '../database/database.ts';
import { runSql } from '../database/statements.ts';
import { orNotFound } from '../kernel/errors.ts';

const { sql } = Prisma;

/** Counts password, passkeys and providers. Locks the account, so concurrent removals see each other. */
export async function countWaysIn(tx: Database, userId: string): Promise<number> {
  await tx.$queryRaw`SELECT FROM users WHERE id = ${userId} FOR UPDATE`;
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    SELECT (password_hash IS NOT NULL)::int + (provider IS NOT NULL)::int
      + (SELECT count(*)::int FROM passkeys WHERE user_id = users.id) AS count
    FROM users WHERE id = ${userId}`;
  return row?.count ?? 0;
}

export const addressOf = async (tx: Database, id: string) =>
  orNotFound(await tx.user.findUnique({ where: { id }, select: { id: true, email: true } }), 'User');

interface OtherWayIn {
  kind: 'passkey' | 'provider';
  name: string;
}

export const findOtherWaysIn = (tx: Database, userId: string): Promise<OtherWayIn[]> =>
  runSql<OtherWayIn>(
    tx,
    sql`
      (SELECT 'passkey' AS kind, name FROM passkeys WHERE user_id = ${userId} ORDER BY created_at, id)
      UNION ALL (SELECT 'provider', provider FROM provider_links WHERE user_id = ${userId} GROUP BY provider ORDER BY provider)`,
  );
