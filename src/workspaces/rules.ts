import type { z } from 'zod';
import { type Context, refreshViewer, signedIn, type Viewer } from '../kernel/context.ts';
import type { Database } from '../database/database.ts';
import { forbidden, invalid, notFound } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import { parse } from '../kernel/input.ts';
import { mapTakenId } from '../database/errors.ts';
import { afterCommit } from '../database/operation.ts';
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
export async function createWorkspace(
  context: Context,
  rawInput: z.input<typeof input.createWorkspace>,
): Promise<string> {
  const viewer = signedIn(context);
  const { id, name } = parse(input.createWorkspace, rawInput);
  await write(viewer, [viewer.id], async (tx) => {
    if ((await data.countWorkspaces(tx, viewer.id)) >= workspaceLimits.workspaces) {
      throw invalid('', `You cannot be a member of more than ${workspaceLimits.workspaces} workspaces`);
    }
    await data.createWorkspace(tx, id, name, viewer.id);
  }).catch(mapTakenId());
  context.services.notifyChanged({ users: [viewer.id] });
  // What else the operation does in it is done as a member.
  await refreshViewer(context);
  return id;
}

/** @throws NOT_FOUND where the viewer is not a member of the workspace */
export function requireMember(viewer: Viewer, id: string): void {
  if (!isWorkspaceOf(viewer, id)) throw notFound('Workspace');
}

/**
 * Writes to a workspace. Under the lock it is asked again whether the viewer is a member, as somebody may have removed them
 * at the same moment.
 * @throws NOT_FOUND
 */
function writeTo(viewer: Viewer, id: string, work: (tx: Database) => Promise<void>): Promise<void> {
  requireMember(viewer, id);
  return write(viewer, [id], (tx, caller) => {
    requireMember(caller, id);
    return work(tx);
  });
}

/**
 * Renames a workspace.
 * @returns its id
 * @throws NOT_FOUND, VALIDATION_FAILED
 */
export async function updateWorkspace(viewer: Viewer, id: string, rawName: unknown): Promise<string> {
  requireMember(viewer, id);
  const { name } = parse(input.workspaceName, { name: rawName });
  await writeTo(viewer, id, async (tx) => void (await data.renameWorkspace(tx, id, name)));
  return id;
}

/**
 * Deletes a workspace with all that is in it, its invitations and its part of the change log.
 * @throws NOT_FOUND; FORBIDDEN while there are other members
 */
export async function deleteWorkspace(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  await writeTo(viewer, id, async (tx) => {
    // Read under the lock, as somebody may have accepted an invitation at the same moment.
    const members = await data.memberIds(tx, id);
    if (!mayDeleteWorkspace(members)) throw forbidden('A workspace that has other members cannot be deleted');
    await data.deleteWorkspace(tx, id);
  });
  context.services.notifyChanged({ users: [viewer.id] });
}

/**
 * Ends a membership, the viewer's own too, and takes the member's tags off the workspace's tasks. Invitations that the member has
 * sent stay open where they leave, and end where they are removed: none comes back by what they planted.
 * @returns the workspace's id
 * @throws NOT_FOUND for the workspace or the member; FORBIDDEN for the last member
 */
export async function removeMember(context: Context, workspaceId: string, userId: string) {
  const viewer = signedIn(context);
  requireMember(viewer, workspaceId);
  if (!isId('User', userId)) throw notFound('Member');
  await writeTo(viewer, workspaceId, async (tx) => {
    const members = await data.memberIds(tx, workspaceId);
    if (!members.includes(userId)) throw notFound('Member');
    if (!mayRemoveMember(members)) throw forbidden('The last member of a workspace cannot leave it, but delete it');
    await data.removeMember(tx, workspaceId, userId);
    if (userId !== viewer.id) await data.endInvitationsOf(tx, workspaceId, userId);
    await untagSpace(tx, userId, workspaceId);
  });
  const removed = { workspaceId, memberId: userId, change: 'removed' } as const;
  afterCommit(() => context.services.securityLog.event('privilege_permissions_changed', context, removed));
  context.services.notifyChanged({ users: [userId] });
  return workspaceId;
}

/**
 * Ends all memberships of a viewer whose account is deleted, and deletes the workspaces of which they are the last member.
 * All their spaces must be locked; their tags go with the account.
 */
export async function leaveAllWorkspaces(tx: Database, viewer: Viewer): Promise<void> {
  await data.deleteWorkspacesOfOne(tx, viewer.id);
  await data.leaveWorkspaces(tx, viewer.id);
}
