import type { Viewer } from '../kernel/context.ts';
import { isId } from '../kernel/ids.ts';
import { isMember, spacesOf } from '../kernel/policy.ts';
import { fixedPolicies } from '../kernel/rate-limit-policies.ts';

/**
 * What workspaces hold at most. Each cursor has a viewer's spaces, and the members of a space are all notified of its
 * changes: both must stay small.
 */
export const workspaceLimits = {
  workspaces: 100,
  members: 500,
  invitations: 50,
  invitationDays: 14,
  /** Invitations that an account makes within 24 hours, for whatever workspaces. */
  invitationsPerAccount: fixedPolicies.invitations.quota,
  /** Mails of invitations to an address within 24 hours, from all accounts; further invitations come without one. */
  mailsPerAddress: 20,
} as const;

/** The workspaces that one is a member of, for a Prisma `where`: nobody sees another. */
export const workspacesOf = (viewer: Viewer) => ({ kind: 'WORKSPACE' as const, ...spacesOf(viewer) });

/** The same for one workspace. Its members may do everything in it: rename it, invite, revoke, remove members. */
export const isWorkspaceOf = (viewer: Viewer, id: string) => isId('Workspace', id) && isMember(viewer, id);

/** A workspace keeps at least one member. */
export const mayRemoveMember = (memberIds: readonly string[]) => memberIds.length > 1;

/** Nobody takes a workspace from others: only its last member may delete it. */
export const mayDeleteWorkspace = (memberIds: readonly string[]) => memberIds.length === 1;
