import type { Viewer } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import { isMember, spacesOf } from '../platform/policy.ts';
import type { Role } from '../platform/roles.ts';
import { fixedPolicies } from '../platform/rate-limit-policies.ts';

/** Limits. Each cursor lists all spaces of a viewer, and each change notifies all members: both must stay few. */
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

export const isWorkspaceOf = (viewer: Viewer, id: string) => isId('Workspace', id) && isMember(viewer, id);

export interface MemberRole {
  userId: string;
  role: Role;
}

/**
 * A workspace keeps an ADMIN, and so a member. The database makes another member ADMIN if an account is deleted
 * (`admins.sql`). @param role of the member after the change; null: the membership ends
 */
export const keepsAdmin = (members: readonly MemberRole[], userId: string, role: Role | null) =>
  members.some((member) => (member.userId === userId ? role : member.role) === 'ADMIN');

/** Only the last member may delete a workspace. */
export const mayDeleteWorkspace = (members: readonly MemberRole[]) => members.length === 1;

/** Only its owner sees a personal space. */
export const isPersonal = (viewer: Viewer, { spaceId }: { spaceId: string }) => spaceId === viewer.id;
