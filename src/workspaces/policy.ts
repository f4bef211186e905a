import type { Viewer } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import { isMember, spacesOf } from '../platform/policy.ts';
import { fixedPolicies } from '../platform/rate-limit-policies.ts';

/** Each cursor lists all spaces of a viewer, and each change notifies all members: both must stay few. */
export const workspaceLimits = {
  workspaces: 100,
  members: 500,
  invitations: 50,
  invitationDays: 14,
  /** Per 24 hours, over all workspaces. */
  invitationsPerAccount: fixedPolicies.invitations.quota,
  /** Per 24 hours, from all accounts. Later invitations send no mail. */
  mailsPerAddress: 20,
} as const;

export const workspacesOf = (viewer: Viewer) => ({ kind: 'WORKSPACE' as const, ...spacesOf(viewer) });

/** Members may do everything in a workspace. */
export const isWorkspaceOf = (viewer: Viewer, id: string) => isId('Workspace', id) && isMember(viewer, id);

/** A workspace keeps at least one member. */
export const mayRemoveMember = (memberIds: readonly string[]) => memberIds.length > 1;

/** Only the last member may delete a workspace. */
export const mayDeleteWorkspace = (memberIds: readonly string[]) => memberIds.length === 1;

/** Only its owner sees a personal space. */
export const isPersonal = (viewer: Viewer, { spaceId }: { spaceId: string }) => spaceId === viewer.id;
