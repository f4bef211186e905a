import { runSql } from '@taskgate/postgres';
import { Prisma } from '../../generated/prisma/client.ts';
import type { Database } from '../../platform/database.ts';
import { type EndedSession, endSessionsWhere } from '../sessions/data.ts';

const { sql } = Prisma;

/**
 * Also ends all sessions, including one that `insertSession` has just made: see `changePassword`.
 * @returns undefined if the address has no account
 */
export async function resetPassword(tx: Database, email: string, passwordHash: string) {
  const [account] = await tx.user.updateManyAndReturn({
    where: { email },
    data: { passwordHash },
    select: { id: true },
  });
  if (!account) return undefined;
  return {
    userId: account.id,
    sessions: await runSql<EndedSession>(tx, endSessionsWhere(sql`user_id = ${account.id}`)),
  };
}

/** Requires a set password. */
export async function endOtherWaysIn(tx: Database, userId: string): Promise<void> {
  await tx.passkey.deleteMany({ where: { userId } });
  await tx.providerLink.deleteMany({ where: { userId } });
  await tx.user.updateMany({ where: { id: userId, provider: { not: null } }, data: { provider: null } });
}

/**
 * Locks all affected addresses at once.
 * @returns the old address
 * @throws a constraint error if the new one is taken
 */
export async function changeEmail(tx: Database, userId: string, email: string): Promise<string> {
  await tx.$executeRaw`
    SELECT lock_addresses(ARRAY(
      SELECT email FROM users WHERE id = ${userId} UNION SELECT ${email}
      UNION SELECT email FROM invitations WHERE invited_by_id = ${userId}
    ))`;
  const [account] = await tx.$queryRaw<{ former: string }[]>`
    UPDATE users SET email = ${email} FROM users AS before
    WHERE users.id = ${userId} AND before.id = users.id RETURNING before.email AS former`;
  return account?.former ?? email;
}
