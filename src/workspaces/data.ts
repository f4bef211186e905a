import type { Prisma } from '../generated/prisma/client.ts';
import { budgetOf, type Viewer } from '../kernel/context.ts';
import { type Database, db } from '../database/database.ts';
import { orNotFound } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import { inSpacesOf } from '../kernel/policy.ts';
import { prune } from '../database/prune.ts';
import { readMany, type Selection } from '../nested-read/read.ts';
import { workspaceLimits, workspacesOf } from './policy.ts';

const byCreation = [{ createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.SpaceOrderByWithRelationInput[];

export const findWorkspaces = (viewer: Viewer, { select = {} }: Selection) =>
  readMany('Space', { select, where: workspacesOf(viewer), orderBy: byCreation }, budgetOf(viewer));

/**
 * Makes a workspace with its first member. Its revisions begin beyond all that an earlier workspace of that id can have had: what
 * they name, cursors and cached answers, is of the one or of the other.
 */
export const createWorkspace = (tx: Database, id: string, name: string, userId: string) => tx.$executeRaw`
  WITH workspace AS (
    INSERT INTO spaces (id, kind, name, revision, log_start)
    SELECT ${id}, 'WORKSPACE', ${name}, microseconds, microseconds
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) AS now
  )
  INSERT INTO memberships (space_id, user_id) VALUES (${id}, ${userId})`;

export const renameWorkspace = (tx: Database, id: string, name: string) =>
  tx.space.update({ where: { id }, data: { name }, select: { id: true } });

/** Deletes a workspace; everything in it is deleted by cascade. */
export const deleteWorkspace = (tx: Database, id: string) => tx.space.delete({ where: { id }, select: { id: true } });

// Members ---------------------------------------------------------------------------------------

export async function memberIds(tx: Database, spaceId: string): Promise<string[]> {
  const rows = await tx.membership.findMany({ where: { spaceId }, select: { userId: true } });
  return rows.map((row) => row.userId);
}

export const countWorkspaces = (tx: Database, userId: string) =>
  tx.membership.count({ where: { userId, space: { kind: 'WORKSPACE' } } });

/**
 * Makes somebody a member. The space must be locked: what is written from that moment on, by the clock of the change log,
 * is what a new member is notified of.
 */
export const addMember = (tx: Database, spaceId: string, userId: string) => tx.$executeRaw`
  INSERT INTO memberships (space_id, user_id, created_at) VALUES (${spaceId}, ${userId}, clock_timestamp())`;

export const removeMember = (tx: Database, spaceId: string, userId: string) =>
  tx.membership.deleteMany({ where: { spaceId, userId } });

/** Ends the invitations to a workspace that somebody has sent. */
export const endInvitationsOf = (tx: Database, spaceId: string, invitedById: string) =>
  tx.invitation.deleteMany({ where: { spaceId, invitedById } });

/** Deletes the workspaces of which somebody is the only member. */
export const deleteWorkspacesOfOne = (tx: Database, userId: string) => tx.$executeRaw`
  DELETE FROM spaces WHERE kind = 'WORKSPACE'
    AND id IN (SELECT space_id FROM memberships WHERE user_id = ${userId})
    AND NOT EXISTS (SELECT FROM memberships WHERE space_id = spaces.id AND user_id <> ${userId})`;

export const leaveWorkspaces = (tx: Database, userId: string) => tx.$executeRaw`
  DELETE FROM memberships WHERE user_id = ${userId} AND space_id <> ${userId}`;

// Invitations -----------------------------------------------------------------------------------

type InvitationQuery = { select?: Prisma.InvitationSelect; include?: Prisma.InvitationInclude };

export const newestFirst = [
  { createdAt: 'desc' },
  { id: 'desc' },
] satisfies Prisma.InvitationOrderByWithRelationInput[];

/**
 * For the answer of a rule that has made it, or found it open.
 * @throws NOT_FOUND where it has ended since
 */
export const findInvitation = async (id: string, query: InvitationQuery) =>
  orNotFound(await db.invitation.findFirst({ ...query, where: { id } }), 'Invitation');

/** The open invitations of an address, the newest first. */
export const findInvitationsTo = (email: string, query: InvitationQuery) =>
  db.invitation.findMany({ ...query, where: { email }, orderBy: newestFirst });

/** The workspace of the open invitation with that id, where its address is the viewer's. */
export async function spaceInvitedTo(viewer: Viewer, id: string): Promise<string | undefined> {
  if (!isId('Invitation', id)) return undefined;
  const [invitation] = await db.$queryRaw<{ spaceId: string }[]>`
    SELECT open_invitations.space_id AS "spaceId" FROM open_invitations JOIN users USING (email)
    WHERE open_invitations.id = ${id} AND users.id = ${viewer.id}`;
  return invitation?.spaceId;
}

/** The workspace of the open invitation with that id, where the viewer is a member of it. */
export async function spaceInviting(viewer: Viewer, id: string): Promise<string | undefined> {
  if (!isId('Invitation', id)) return undefined;
  const where = { id, ...inSpacesOf(viewer) };
  return (await db.invitation.findFirst({ where, select: { spaceId: true } }))?.spaceId;
}

/** What decides whether somebody may invite an address; to be read under the locks. */
export interface InvitationFacts {
  workspaceName: string;
  /** Null where they have set none. */
  inviterName: string | null;
  inviterEmail: string;
  /** Id of the open invitation of that address, where there is one. */
  openId: string | null;
  invitesMember: boolean;
  members: number;
  openInvitations: number;
  sentByInviter: number;
  sentToAddress: number;
  /** Seconds until the inviter may invite again, once they have made all of a day. */
  retryAfter: number;
}

interface NewInvitation {
  id: string;
  spaceId: string;
  inviterId: string;
  email: string;
}

/** @returns undefined where the workspace or the account is gone */
export async function invitationFacts(
  tx: Database,
  { spaceId, inviterId, email }: NewInvitation,
): Promise<InvitationFacts | undefined> {
  const [facts] = await tx.$queryRaw<InvitationFacts[]>`
    SELECT spaces.name AS "workspaceName", inviter.name AS "inviterName", inviter.email AS "inviterEmail",
      (SELECT id FROM open_invitations WHERE space_id = spaces.id AND email = ${email}) AS "openId",
      EXISTS (
        SELECT FROM memberships JOIN users ON users.id = user_id WHERE space_id = spaces.id AND users.email = ${email}
      ) AS "invitesMember",
      (SELECT count(*)::int FROM memberships WHERE space_id = spaces.id) AS members,
      (SELECT count(*)::int FROM open_invitations WHERE space_id = spaces.id) AS "openInvitations",
      (SELECT count(*)::int FROM sent_invitations WHERE email = ${email} AND sent_at > day.start) AS "sentToAddress",
      sent.count AS "sentByInviter", sent."retryAfter"
    FROM spaces JOIN users AS inviter ON inviter.id = ${inviterId}
    CROSS JOIN (SELECT statement_timestamp() - interval '24 hours' AS start) AS day
    CROSS JOIN LATERAL (
      SELECT count(*)::int, coalesce(extract(epoch FROM min(sent_at) - day.start), 0)::float8 AS "retryAfter"
      FROM (
        SELECT sent_at FROM sent_invitations WHERE invited_by_id = inviter.id AND sent_at > day.start
        ORDER BY sent_at DESC LIMIT ${workspaceLimits.invitationsPerAccount}
      ) AS latest
    ) AS sent
    WHERE spaces.id = ${spaceId}`;
  return facts;
}

/** Makes an invitation, in place of one that has expired, and counts it. */
export async function createInvitation(tx: Database, { id, spaceId, inviterId, email }: NewInvitation): Promise<void> {
  await tx.$executeRaw`
    WITH counted AS (
      INSERT INTO sent_invitations (invited_by_id, email) VALUES (${inviterId}, ${email})
    )
    INSERT INTO invitations (id, space_id, email, invited_by_id, expires_at)
    VALUES (${id}, ${spaceId}, ${email}, ${inviterId},
      now() + make_interval(days => ${workspaceLimits.invitationDays}::int))
    ON CONFLICT (space_id, email) DO UPDATE SET id = excluded.id, invited_by_id = excluded.invited_by_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at`;
}

/** Ends an invitation, if it is still open. @returns whether it was */
export async function deleteInvitation(tx: Database, id: string): Promise<boolean> {
  return (await tx.$executeRaw`DELETE FROM invitations WHERE id = ${id} AND expires_at > statement_timestamp()`) > 0;
}

/**
 * Forgets invitations that have expired, a workspace at a time, and what no longer counts towards a quota.
 * @returns how many invitations are gone
 */
export async function pruneInvitations(): Promise<number> {
  await prune({ table: 'sent_invitations', key: 'id', moment: 'sent_at', keptSeconds: 24 * 60 * 60 });
  for (let total = 0; ;) {
    const [pruned] = await db.$queryRaw<{ count: number }[]>`SELECT prune_invitations() AS count`;
    if (!pruned?.count) return total;
    total += pruned.count;
  }
}
