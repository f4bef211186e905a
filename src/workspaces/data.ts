import type { Prisma } from '../generated/prisma/client.ts';
import type { Viewer } from '../kernel/context.ts';
import { type Database, db } from '../kernel/database.ts';
import { workspacesOf } from './policy.ts';

type WorkspaceQuery = { select?: Prisma.SpaceSelect; include?: Prisma.SpaceInclude };

export const findWorkspaces = (viewer: Viewer, query: WorkspaceQuery) =>
  db.space.findMany({ ...query, where: workspacesOf(viewer), orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] });

export const findWorkspacesById = (viewer: Viewer, ids: string[], query: WorkspaceQuery) =>
  db.space.findMany({ ...query, where: { AND: [{ id: { in: ids } }, workspacesOf(viewer)] } });

/** For the answer of a rule that has checked that the viewer may see it, or who was just before. */
export const findChanged = (id: string, query: WorkspaceQuery) =>
  db.space.findUniqueOrThrow({ ...query, where: { id } });

export async function createWorkspace(tx: Database, id: string, name: string, userId: string): Promise<void> {
  await tx.space.create({ data: { id, kind: 'WORKSPACE', name }, select: { id: true } });
  await tx.membership.create({ data: { spaceId: id, userId }, select: { spaceId: true } });
}

/** Makes the account with that address a member, if it is none yet. @returns the account's id, if there is one */
export async function addMember(tx: Database, spaceId: string, email: string): Promise<string | undefined> {
  const [account] = await tx.$queryRaw<{ id: string }[]>`
    WITH account AS (
      SELECT id FROM users WHERE email = ${email}
    ), added AS (
      INSERT INTO memberships (space_id, user_id) SELECT ${spaceId}, id FROM account ON CONFLICT DO NOTHING
    )
    SELECT id FROM account`;
  return account?.id;
}

export async function memberIds(tx: Database, spaceId: string): Promise<string[]> {
  const rows = await tx.membership.findMany({ where: { spaceId }, select: { userId: true } });
  return rows.map((row) => row.userId);
}

export const removeMember = (tx: Database, spaceId: string, userId: string) =>
  tx.membership.deleteMany({ where: { spaceId, userId } });
