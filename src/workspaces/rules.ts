import { type Context, signedIn, type Viewer } from '../kernel/context.ts';
import type { Database } from '../database/database.ts';
import { forbidden, invalid, notFound } from '../kernel/errors.ts';
import { isId, newId } from '../kernel/ids.ts';
import { parse } from '../kernel/input.ts';
import { write } from '../database/write.ts';
import { untagSpace } from '../tags/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { isWorkspaceOf, mayDeleteWorkspace, mayRemoveMember, workspaceLimits } from './policy.ts';

/**
 * Makes a workspace with the viewer as its only member.
 * @returns the workspace's id
 * @throws VALIDATION_FAILED, also where the viewer is a member of as many workspaces as an account can be
 */
export async function createWorkspace(context: Context, rawName: unknown): Promise<string> {
  const viewer = signedIn(context);
  const { name } = parse(input.workspaceName, { name: rawName });
  const id = newId('Workspace');
  await write(viewer, [viewer.id], async (tx) => {
    if ((await data.countWorkspaces(tx, viewer.id)) >= workspaceLimits.workspaces) {
      throw invalid('', `You cannot be a member of more than ${workspaceLimits.workspaces} workspaces`);
    }
    await data.createWorkspace(tx, id, name, viewer.id);
  });
  context.services.notifyChanged({ users: [viewer.id] });
  return id;
}

/**
 * Renames a workspace.
 * @throws NOT_FOUND, VALIDATION_FAILED
 */
export async function updateWorkspace(viewer: Viewer, id: string, rawName: unknown): Promise<void> {
  if (!isWorkspaceOf(viewer, id)) throw notFound('Workspace');
  const { name } = parse(input.workspaceName, { name: rawName });
  const rename = async (tx: Database, caller: Viewer) => {
    if (!isWorkspaceOf(caller, id)) throw notFound('Workspace');
    await data.renameWorkspace(tx, id, name);
  };
  await write(viewer, [id], rename);
}

/**
 * Deletes a workspace with all that is in it, its invitations and its part of the change log.
 * @throws NOT_FOUND; FORBIDDEN while there are other members
 */
export async function deleteWorkspace(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  if (!isWorkspaceOf(viewer, id)) throw notFound('Workspace');
  const remove = async (tx: Database, caller: Viewer) => {
    if (!isWorkspaceOf(caller, id)) throw notFound('Workspace');
    // Read under the lock, as somebody may have accepted an invitation at the same moment.
    const members = await data.memberIds(tx, id);
    if (!mayDeleteWorkspace(members)) throw forbidden('A workspace that has other members cannot be deleted');
    await data.deleteWorkspace(tx, id);
  };
  await write(viewer, [id], remove);
  context.services.notifyChanged({ users: [viewer.id] });
}

/**
 * Ends a membership, the viewer's own too, and takes the member's tags off the workspace's tasks. Invitations that
 * the member has sent stay open.
 * @throws NOT_FOUND for the workspace or the member; FORBIDDEN for the last member
 */
export async function removeMember(context: Context, workspaceId: string, userId: string): Promise<void> {
  const viewer = signedIn(context);
  if (!isWorkspaceOf(viewer, workspaceId)) throw notFound('Workspace');
  if (!isId('User', userId)) throw notFound('Member');
  const remove = async (tx: Database, caller: Viewer) => {
    // Asked again under the lock, as somebody may have removed the viewer at the same moment.
    if (!isWorkspaceOf(caller, workspaceId)) throw notFound('Workspace');
    const members = await data.memberIds(tx, workspaceId);
    if (!members.includes(userId)) throw notFound('Member');
    if (!mayRemoveMember(members)) throw forbidden('The last member of a workspace cannot leave it, but delete it');
    await data.removeMember(tx, workspaceId, userId);
    await untagSpace(tx, userId, workspaceId);
  };
  await write(viewer, [workspaceId], remove);
  context.services.securityLog.event('privilege_permissions_changed', context, {
    workspaceId,
    memberId: userId,
    change: 'removed',
  });
  context.services.notifyChanged({ users: [userId] });
}

/**
 * Ends the viewer's membership, as {@link removeMember} does.
 * @throws NOT_FOUND; FORBIDDEN for the last member
 */
export const leaveWorkspace = (context: Context, id: string): Promise<void> =>
  removeMember(context, id, signedIn(context).id);

/**
 * Ends all memberships of a viewer whose account is deleted, and deletes the workspaces of which they are the last member.
 * All their spaces must be locked; their tags go with the account.
 */
export async function leaveAllWorkspaces(tx: Database, viewer: Viewer): Promise<void> {
  await data.deleteWorkspacesOfOne(tx, viewer.id);
  await data.leaveWorkspaces(tx, viewer.id);
}
