import type { z } from 'zod';
import { invalid } from '@taskgate/base';
import { refreshViewer } from '@taskgate/execution';
import { afterCommit, mapTakenId } from '@taskgate/postgres';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import type { Database } from '../platform/database.ts';
import { forbidden, notFound, orNotFound } from '../platform/errors.ts';
import { parse } from '../platform/input.ts';
import { isAtLeast } from '../platform/policy.ts';
import { type Role, roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import { untagSpace } from '../tags/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { isWorkspaceOf, keepsAdmin, mayDeleteWorkspace, workspaceLimits } from './policy.ts';

/** Creates a workspace with the viewer as its only member. @throws VALIDATION_FAILED, also at 100 workspaces */
export async function createWorkspace(
  context: Context,
  rawInput: z.input<typeof input.createWorkspace>,
): Promise<string> {
  const viewer = signedIn(context);
  const { id, name } = parse(input.createWorkspace, rawInput);
  await write(viewer, { ids: [viewer.id] }, async (tx) => {
    if ((await data.countWorkspaces(tx, viewer.id)) >= workspaceLimits.workspaces) {
      throw invalid('', `You cannot be a member of more than ${workspaceLimits.workspaces} workspaces`);
    }
    await data.createWorkspace(tx, id, name, viewer.id);
  }).catch(mapTakenId());
  context.services.notifyChanged({ users: [viewer.id] });
  // The rest of the operation runs as a member.
  await refreshViewer(context);
  return id;
}

/** @throws NOT_FOUND if the viewer is not a member */
export function requireMember(viewer: Viewer, id: string): void {
  if (!isWorkspaceOf(viewer, id)) throw notFound('Workspace');
}

/** Checks the membership again under the lock. @throws NOT_FOUND, FORBIDDEN */
function writeTo<Result>(
  viewer: Viewer,
  id: string,
  needs: Role,
  work: (tx: Database) => Promise<Result>,
): Promise<Result> {
  requireMember(viewer, id);
  return write(viewer, { needs, ids: [id] }, (tx, caller) => {
    requireMember(caller, id);
    return work(tx);
  });
}

/** Renames a workspace. @throws NOT_FOUND, VALIDATION_FAILED */
export async function updateWorkspace(viewer: Viewer, id: string, rawName: unknown): Promise<string> {
  requireMember(viewer, id);
  const { name } = parse(input.workspaceName, { name: rawName });
  await writeTo(viewer, id, roleFor('updateWorkspace'), async (tx) => void (await data.renameWorkspace(tx, id, name)));
  return id;
}

/**
 * Deletes a workspace with its contents, invitations and change log.
 * @throws NOT_FOUND; FORBIDDEN while there are other members
 */
export async function deleteWorkspace(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  await writeTo(viewer, id, roleFor('deleteWorkspace'), async (tx) => {
    // Someone may have just accepted an invitation.
    const members = await data.findMembers(tx, id);
    if (!mayDeleteWorkspace(members)) throw forbidden('A workspace that has other members cannot be deleted');
    await data.deleteWorkspace(tx, id);
  });
  context.services.notifyChanged({ users: [viewer.id] });
}

/**
 * Ends a membership and takes the member's tags off tasks. Invitations by a removed member end, or they could return by
 * one.
 * @throws NOT_FOUND; FORBIDDEN, also for the last ADMIN
 */
export async function removeMember(context: Context, workspaceId: string, userId: string) {
  const viewer = signedIn(context);
  const needs = roleFor(userId === viewer.id ? 'leaveWorkspace' : 'removeWorkspaceMember');
  await writeTo(viewer, workspaceId, needs, async (tx) => {
    await requireAdminAfter(tx, workspaceId, userId, null);
    await data.removeMember(tx, workspaceId, userId);
    if (userId !== viewer.id) await data.endInvitationsOf(tx, workspaceId, userId);
    await untagSpace(tx, userId, workspaceId);
  });
  await afterChange(context, { workspaceId, memberId: userId, change: 'removed', role: undefined });
  return workspaceId;
}

/**
 * Changes the role of a member. Invitations by a demoted member end.
 * @throws NOT_FOUND; FORBIDDEN, also for the last ADMIN
 */
export async function setRole(context: Context, workspaceId: string, userId: string, role: Role): Promise<string> {
  const viewer = signedIn(context);
  const isChanged = await writeTo(viewer, workspaceId, roleFor('setWorkspaceRole'), async (tx) => {
    const current = await requireAdminAfter(tx, workspaceId, userId, role);
    if (current === role) return false;
    await data.setRole(tx, workspaceId, userId, role);
    if (!isAtLeast(role, current)) await data.endInvitationsOf(tx, workspaceId, userId);
    return true;
  });
  if (isChanged) await afterChange(context, { workspaceId, memberId: userId, change: 'role', role });
  return workspaceId;
}

/** @returns the member's present role @throws NOT_FOUND; FORBIDDEN */
async function requireAdminAfter(tx: Database, workspaceId: string, userId: string, role: Role | null): Promise<Role> {
  const members = await data.findMembers(tx, workspaceId);
  const current = orNotFound(
    members.find((member) => member.userId === userId),
    'Member',
  );
  if (!keepsAdmin(members, userId, role)) {
    throw forbidden('A workspace keeps an ADMIN: give another member this role first, or delete the workspace');
  }
  return current.role;
}

async function afterChange(
  context: Context,
  change: { workspaceId: string; memberId: string; change: 'removed' | 'role'; role: Role | undefined },
): Promise<void> {
  const { services } = context;
  afterCommit(() => services.securityLog.event('privilege_permissions_changed', context, change));
  services.notifyChanged({ users: [change.memberId] });
  // The rest of the operation runs with the new role.
  if (change.role !== undefined && change.memberId === signedIn(context).id) await refreshViewer(context);
}

interface Heir {
  spaceId: string;
  userId: string;
}

/**
 * Ends all memberships before the account's deletion, which removes its tags. All its spaces must be locked.
 * @returns the members who become ADMIN, for {@link reportHeirs} after the commit
 */
export async function leaveAllWorkspaces(tx: Database, viewer: Viewer): Promise<Heir[]> {
  await data.deleteWorkspacesOfOne(tx, viewer.id);
  return data.leaveWorkspaces(tx, viewer.id);
}

/** Logs each heir's new role. */
export async function reportHeirs(context: Context, heirs: readonly Heir[]): Promise<void> {
  for (const { spaceId, userId } of heirs) {
    await afterChange(context, { workspaceId: spaceId, memberId: userId, change: 'role', role: 'ADMIN' });
  }
}
