import { Prisma } from '../../generated/prisma/client.ts';
import type { Viewer } from '../../platform/context.ts';
import type { Connections, Database } from '../../platform/database.ts';
import type { EndedSession } from '../sessions/data.ts';

const { sql } = Prisma;

/** Spaces that the deletion changes beside the account's memberships: it may have left them. */
const namingSpaces = (userId: string) => sql`
  SELECT space_id FROM invitations WHERE invited_by_id = ${userId}
  UNION SELECT space_id FROM tasks WHERE created_by_id = ${userId}
  UNION SELECT space_id FROM comments WHERE author_id = ${userId}
  UNION SELECT space_id FROM trash WHERE author_id = ${userId} AND space_id IS NOT NULL`;

export async function findNamingSpaces({ db }: Connections, userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ space_id: string }[]>(namingSpaces(userId));
  return rows.map(({ space_id }) => space_id);
}

/**
 * Locks in the order of all writers: spaces (by the caller), the account, its sessions, addresses, related revisions.
 * The account comes first, as in a sign-in. The sessions' locks wait for writes in progress.
 * @returns the sessions, or why the deletion must stop or restart
 */
export async function lockAccount(
  tx: Database,
  { id }: Viewer,
  spaceIds: readonly string[],
  passwordHash: string | null,
): Promise<EndedSession[] | 'password changed' | 'spaces changed'> {
  const [account] = await tx.$queryRaw<{ email: string }[]>`
    SELECT email FROM users WHERE id = ${id} AND password_hash IS NOT DISTINCT FROM ${passwordHash} FOR UPDATE`;
  if (!account) return 'password changed';
  const missed = await tx.$queryRaw<object[]>`
    SELECT FROM (SELECT space_id FROM memberships WHERE user_id = ${id} UNION ${namingSpaces(id)}) AS space
    WHERE space_id <> ALL (${spaceIds})`;
  if (missed.length > 0) return 'spaces changed';
  const sessions = await tx.$queryRaw<EndedSession[]>`
    SELECT sid, user_id AS "userId" FROM sessions WHERE user_id = ${id} ORDER BY sid FOR UPDATE`;
  const invited = await tx.$queryRaw<{ email: string }[]>`
    SELECT DISTINCT email FROM invitations WHERE space_id = ANY (${spaceIds})`;
  const addresses = [account.email, ...invited.map(({ email }) => email)];
  await tx.$executeRaw`SELECT lock_addresses(${addresses})`;
  await tx.$executeRaw`
    SELECT FROM related_revisions
    WHERE space_id = ANY (${spaceIds} || ARRAY(SELECT id FROM users WHERE email = ANY (${addresses})))
    ORDER BY space_id FOR UPDATE`;
  return sessions;
}

/** Account, sessions and invitations follow by cascade. */
export const deleteAccount = (tx: Database, { id }: Viewer) => tx.space.deleteMany({ where: { id } });
