import type { Viewer } from '../kernel/context.ts';
import type { Database } from '../kernel/database.ts';
import { forbidden, invalid, notFound } from '../kernel/errors.ts';
import { isId, newId } from '../kernel/ids.ts';
import { parse } from '../kernel/input.ts';
import { write } from '../kernel/write.ts';
import { wake } from '../kernel/wake-ups.ts';
import { untagSpace } from '../tags/rules.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { isWorkspaceOf, mayRemoveMember } from './policy.ts';

/**
 * Makes a workspace with the viewer as its only member.
 * @returns the workspace's id
 * @throws VALIDATION_FAILED
 */
export async function createWorkspace(viewer: Viewer, rawName: unknown): Promise<string> {
  const { name } = parse(input.workspaceName, { name: rawName });
  const id = newId('Workspace');
  await write(viewer, [viewer.id], (tx) => data.createWorkspace(tx, id, name, viewer.id));
  wake({ users: [viewer.id] });
  return id;
}

/**
 * Makes the account with that address a member; a second time it has no effect.
 * @throws NOT_FOUND for the workspace; VALIDATION_FAILED where no account has the address
 */
export async function addMember(viewer: Viewer, workspaceId: string, rawEmail: unknown): Promise<void> {
  if (!isWorkspaceOf(viewer, workspaceId)) throw notFound('Workspace');
  const { email } = parse(input.memberEmail, { email: rawEmail });
  const userId = await write(viewer, [workspaceId], async (tx, caller) => {
    if (!isWorkspaceOf(caller, workspaceId)) throw notFound('Workspace');
    return data.addMember(tx, workspaceId, email);
  });
  if (userId === undefined) throw invalid('email', 'must be the address of an account');
  wake({ users: [userId] });
}

/**
 * Ends a membership, the viewer's own too, and takes the member's tags off the workspace's tasks.
 * @throws NOT_FOUND for the workspace or the member; FORBIDDEN for the last member
 */
export async function removeMember(viewer: Viewer, workspaceId: string, userId: string): Promise<void> {
  if (!isWorkspaceOf(viewer, workspaceId)) throw notFound('Workspace');
  if (!isId('User', userId)) throw notFound('Member');
  const remove = async (tx: Database, caller: Viewer) => {
    // Asked again under the lock, as somebody may have removed the viewer at the same moment.
    if (!isWorkspaceOf(caller, workspaceId)) throw notFound('Workspace');
    const members = await data.memberIds(tx, workspaceId);
    if (!members.includes(userId)) throw notFound('Member');
    if (!mayRemoveMember(members)) throw forbidden('The last member of a workspace cannot be removed');
    await untagSpace(tx, userId, workspaceId);
    await data.removeMember(tx, workspaceId, userId);
  };
  await write(viewer, [workspaceId], remove, { withMembers: true });
  wake({ users: [userId] });
}
