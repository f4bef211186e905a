import type { Selection } from '@taskgate/nested-read';
import { prune, seconds } from '@taskgate/postgres';
import type { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../platform/context.ts';
import type { Connections, Database } from '../platform/database.ts';
import { orNotFound } from '../platform/errors.ts';
import { isId } from '../platform/ids.ts';
import { inSpacesOf } from '../platform/policy.ts';
import { fixedPolicies } from '../platform/rate-limit-policies.ts';
import { isRecent } from '../platform/recent.ts';
import type { Role } from '../platform/roles.ts';
import { type MemberRole, workspaceLimits, workspacesOf } from './policy.ts';

const byCreation = [{ createdAt: 'asc' }, { id: 'asc' }] satisfies Prisma.SpaceOrderByWithRelationInput[];

export const findWorkspaces = (viewer: Viewer, { select = {} }: Selection) =>
  viewer.connections.db.space.read({ select, where: workspacesOf(viewer), orderBy: byCreation }, viewer);

/**
 * Revisions start at the present microsecond, above all revisions of a deleted workspace with this id: its
 * cursors and cached responses never match.
 */
export const createWorkspace = (tx: Database, id: string, name: string, userId: string) => tx.$executeRaw`
  WITH workspace AS (
    INSERT INTO spaces (id, kind, name, revision, log_start)
    SELECT ${id}, 'WORKSPACE', ${name}, microseconds, microseconds
    FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS microseconds) AS now
  )
  INSERT INTO memberships (space_id, user_id, role) VALUES (${id}, ${userId}, 'ADMIN')`;

export const renameWorkspace = (tx: Database, id: string, name: string) =>
  tx.space.update({ where: { id }, data: { name }, select: { id: true } });

export const deleteWorkspace = (tx: Database, id: string) => tx.space.delete({ where: { id }, select: { id: true } });

export const findMembers = (tx: Database, spaceId: string): Promise<MemberRole[]> =>
  tx.membership.findMany({ where: { spaceId }, select: { userId: true, role: true } });

/** The change reaches the replicas of the members. */
export const setRole = (tx: Database, spaceId: string, userId: string, role: Role) =>
  tx.membership.updateMany({ where: { spaceId, userId }, data: { role } });

export const countWorkspaces = (tx: Database, userId: string) =>
  tx.membership.count({ where: { userId, space: { kind: 'WORKSPACE' } } });

/** Call under the space's lock: the member is notified of changes after this time, by the clock of the change log. */
export const addMember = (tx: Database, spaceId: string, userId: string, role: Role) => tx.$executeRaw`
  INSERT INTO memberships (space_id, user_id, role, created_at)
  VALUES (${spaceId}, ${userId}, ${role}::"WorkspaceRole", clock_timestamp())`;

export const removeMember = (tx: Database, spaceId: string, userId: string) =>
  tx.membership.deleteMany({ where: { spaceId, userId } });

export const endInvitationsOf = (tx: Database, spaceId: string, invitedById: string) =>
  tx.invitation.deleteMany({ where: { spaceId, invitedById } });

export const deleteWorkspacesOfOne = (tx: Database, userId: string) =>
  tx.space.deleteMany({
    where: { kind: 'WORKSPACE', memberships: { some: { userId }, every: { userId } } },
  });

/** @returns the members whom a trigger makes ADMIN instead of the user */
export async function leaveWorkspaces(tx: Database, userId: string) {
  const orphaned = await tx.$queryRaw<{ id: string }[]>`
    WITH ended AS (DELETE FROM memberships WHERE user_id = ${userId} AND space_id <> ${userId} RETURNING space_id, role)
    SELECT space_id AS id FROM ended WHERE role = 'ADMIN' AND NOT EXISTS (
      SELECT FROM memberships AS other WHERE space_id = ended.space_id AND role = 'ADMIN' AND user_id <> ${userId}
    )`;
  if (orphaned.length === 0) return [];
  await tx.$executeRaw`SET CONSTRAINTS keep_admin_on_delete IMMEDIATE`;
  return tx.membership.findMany({
    where: { spaceId: { in: orphaned.map(({ id }) => id) }, role: 'ADMIN' },
    select: { spaceId: true, userId: true },
  });
}

type InvitationQuery = { select?: Prisma.InvitationSelect; include?: Prisma.InvitationInclude };

export const newestFirst = [
  { createdAt: 'desc' },
  { id: 'desc' },
] satisfies Prisma.InvitationOrderByWithRelationInput[];

export const findInvitation = async ({ db }: Connections, id: string, query: InvitationQuery) =>
  orNotFound(await db.invitation.findFirst({ ...query, where: { id } }), 'Invitation');

export const findInvitationsTo = ({ db }: Connections, email: string, query: InvitationQuery) =>
  db.invitation.findMany({ ...query, where: { email }, orderBy: newestFirst });

/** Finds the space of an open invitation to the viewer's address. */
export async function spaceInvitedTo(viewer: Viewer, id: string): Promise<string | undefined> {
  if (!isId('Invitation', id)) return undefined;
  const { db } = viewer.connections;
  const [invitation] = await db.$queryRaw<{ spaceId: string }[]>`
    SELECT open_invitations.space_id AS "spaceId" FROM open_invitations JOIN users USING (email)
    WHERE open_invitations.id = ${id} AND users.id = ${viewer.id}`;
  return invitation?.spaceId;
}

/** Finds the viewer's workspace of an open invitation. */
export async function spaceInviting(viewer: Viewer, id: string): Promise<string | undefined> {
  if (!isId('Invitation', id)) return undefined;
  const { db } = viewer.connections;
  const where = { id, ...inSpacesOf(viewer) };
  return (await db.invitation.findFirst({ where, select: { spaceId: true } }))?.spaceId;
}

export interface InvitationFacts {
  workspaceName: string;
  inviterName: string | null;
  inviterEmail: string;
  openId: string | null;
  invitesMember: boolean;
  members: number;
  openInvitations: number;
  sentByInviter: number;
  sentToAddress: number;
  /** Seconds until the daily quota allows another invitation. */
  retryAfter: number;
}

interface NewInvitation {
  id: string;
  spaceId: string;
  inviterId: string;
  email: string;
  role: Role;
}

const daySeconds = fixedPolicies.invitations.windowSeconds;
const isCounted = isRecent('sent_at', daySeconds);

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
      (SELECT count(*)::int FROM sent_invitations WHERE email = ${email} AND ${isCounted}) AS "sentToAddress",
      sent.count AS "sentByInviter", sent."retryAfter"
    FROM spaces JOIN users AS inviter ON inviter.id = ${inviterId}
    CROSS JOIN LATERAL (
      SELECT count(*)::int,
        coalesce(extract(epoch FROM min(sent_at) + ${seconds(daySeconds)} - statement_timestamp()), 0)::float8 AS "retryAfter"
      FROM (
        SELECT sent_at FROM sent_invitations WHERE invited_by_id = inviter.id AND ${isCounted}
        ORDER BY sent_at DESC LIMIT ${workspaceLimits.invitationsPerAccount}
      ) AS latest
    ) AS sent
    WHERE spaces.id = ${spaceId}`;
  return facts;
}

/** Replaces an expired invitation. Counts towards the quotas. */
export async function createInvitation(tx: Database, invitation: NewInvitation): Promise<void> {
  const { id, spaceId, inviterId, email, role } = invitation;
  await tx.$executeRaw`
    WITH counted AS (
      INSERT INTO sent_invitations (invited_by_id, email) VALUES (${inviterId}, ${email})
    )
    INSERT INTO invitations (id, space_id, email, role, invited_by_id, expires_at)
    VALUES (${id}, ${spaceId}, ${email}, ${role}::"WorkspaceRole", ${inviterId},
      now() + make_interval(days => ${workspaceLimits.invitationDays}::int))
    ON CONFLICT (space_id, email) DO UPDATE SET id = excluded.id, role = excluded.role, invited_by_id = excluded.invited_by_id,
      created_at = excluded.created_at, expires_at = excluded.expires_at`;
}

/** The giver of the role becomes the sender: the invitation ends if the giver is demoted or removed. */
export const setRoleOfInvitation = (tx: Database, id: string, { role, inviterId }: NewInvitation) =>
  tx.invitation.updateMany({ where: { id, role: { not: role } }, data: { role, invitedById: inviterId } });

/** @returns the role that it offered; undefined if it was no longer open */
export async function deleteInvitation(tx: Database, id: string): Promise<Role | undefined> {
  const [deleted] = await tx.$queryRaw<{ role: Role }[]>`
    DELETE FROM invitations WHERE id = ${id} AND expires_at > statement_timestamp() RETURNING role`;
  return deleted?.role;
}

/** Deletes old invitations and rows of the quotas. @returns the number of invitations */
export async function pruneInvitations(connections: Connections): Promise<number> {
  const { db } = connections;
  await prune(connections, { table: 'sent_invitations', key: 'id', moment: 'sent_at', keptSeconds: daySeconds });
  for (let total = 0; ;) {
    const [pruned] = await db.$queryRaw<{ count: number }[]>`SELECT prune_invitations() AS count`;
    if (!pruned?.count) return total;
    total += pruned.count;
  }
}
