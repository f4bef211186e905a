import type { Viewer } from '../kernel/context.ts';
import { type Database, db } from '../database/database.ts';
import type { EndedSession } from './session-data.ts';

/** Workspaces that the account has invited to, also those that it has left: its invitations go with it, under their locks. */
export async function workspacesInvitedTo(userId: string): Promise<string[]> {
  const rows = await db.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT space_id AS id FROM invitations WHERE invited_by_id = ${userId}`;
  return rows.map(({ id }) => id);
}

/**
 * Locks all that is deleted or changed with an account, in the order of all writers: its spaces are locked already, then
 * come its sessions, which waits for what is being written by them, then addresses, then related revisions. The account's
 * row comes before the sessions, as a sign-in and a change of the password take it first.
 * @param spaceIds the spaces that are locked; the personal one among them
 * @param passwordHash that the password was checked against; null where none was set
 * @returns the sessions, which end with it; or what kept it from that: the account has another password by now; or it has joined or invited to a workspace that
 *   is not locked
 */
export async function lockAccount(
  tx: Database,
  { id }: Viewer,
  spaceIds: readonly string[],
  passwordHash: string | null,
): Promise<EndedSession[] | 'other password' | 'other spaces'> {
  const [account] = await tx.$queryRaw<{ email: string }[]>`
    SELECT email FROM users WHERE id = ${id} AND password_hash IS NOT DISTINCT FROM ${passwordHash} FOR UPDATE`;
  if (!account) return 'other password';
  const missed = await tx.$queryRaw<object[]>`
    SELECT FROM memberships WHERE user_id = ${id} AND space_id <> ALL (${spaceIds})
    UNION ALL SELECT FROM invitations WHERE invited_by_id = ${id} AND space_id <> ALL (${spaceIds})`;
  if (missed.length > 0) return 'other spaces';
  const sessions = await tx.$queryRaw<EndedSession[]>`
    SELECT sid, user_id AS "userId" FROM sessions WHERE user_id = ${id} ORDER BY sid FOR UPDATE`;
  // Those invited by the account, or to a workspace that may go with it, see that the invitation is gone.
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

/** Deletes the account with its personal space and all that is in it; its row, sessions and invitations are deleted by cascade. */
export const deleteAccount = (tx: Database, { id }: Viewer) => tx.$executeRaw`DELETE FROM spaces WHERE id = ${id}`;
