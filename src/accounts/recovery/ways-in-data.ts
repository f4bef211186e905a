import type { Database } from '../../platform/database.ts';
import { orNotFound } from '../../platform/errors.ts';

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

/** Passkeys from the oldest, then providers by name. */
export async function findOtherWaysIn(tx: Database, userId: string): Promise<OtherWayIn[]> {
  const passkeys = await tx.passkey.findMany({
    where: { userId },
    select: { name: true },
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
  });
  const providers = await tx.providerLink.groupBy({ by: 'provider', where: { userId }, orderBy: { provider: 'asc' } });
  return [
    ...passkeys.map(({ name }) => ({ kind: 'passkey' as const, name })),
    ...providers.map(({ provider }) => ({ kind: 'provider' as const, name: provider })),
  ];
}
