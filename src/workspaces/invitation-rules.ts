import type { z } from 'zod';
import { invalid, log } from '@taskgate/base';
import { refreshViewer } from '@taskgate/execution';
import { rateLimited } from '@taskgate/limits';
import { afterCommit } from '@taskgate/postgres';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import type { Connections, Database } from '../platform/database.ts';
import { notFound, orNotFound } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { parse } from '../platform/input.ts';
import { fixedPolicies } from '../platform/rate-limit-policies.ts';
import type { Services } from '../platform/services.ts';
import { type Role, roleFor } from '../platform/roles.ts';
import { write } from '../platform/write.ts';
import { invitationMail } from '../notifications/mails/invitation-mail.ts';
import * as data from './data.ts';
import * as input from './input.ts';
import { isWorkspaceOf, workspaceLimits } from './policy.ts';
import { requireMember } from './rules.ts';

declare module '../platform/services.ts' {
  interface Services {
    workspaces: {
      /** Whether RATE_LIMITS applies to invitations. */
      limitsInvitations: boolean;
    };
  }
}

/**
 * Invites an address by mail. The response does not reveal whether it has an account. An open invitation gets the role,
 * without another mail.
 * @throws NOT_FOUND, FORBIDDEN; VALIDATION_FAILED, also for a member's address and a full workspace; RATE_LIMITED
 */
export async function inviteToWorkspace(
  context: Context,
  workspaceId: string,
  rawInput: z.input<typeof input.invitation>,
): Promise<string> {
  const viewer = signedIn(context);
  const { services } = context;
  requireMember(viewer, workspaceId);
  const { email, role } = parse(input.invitation, rawInput);
  const invitation = { id: newId('Invitation'), spaceId: workspaceId, inviterId: viewer.id, email, role };
  const make = async (tx: Database, caller: Viewer) => {
    requireMember(caller, workspaceId);
    const facts = orNotFound(await data.invitationFacts(tx, invitation), 'Workspace');
    if (facts.openId !== null) {
      await data.setRoleOfInvitation(tx, facts.openId, invitation);
      return facts;
    }
    requireInvitable(facts, services.workspaces);
    await data.createInvitation(tx, invitation);
    if (facts.sentToAddress < workspaceLimits.mailsPerAddress) {
      const mail = invitationMail({
        ...facts,
        openDays: workspaceLimits.invitationDays,
        appUrl: services.mailer.appUrl,
      });
      await services.mailer.plan(tx, { kind: 'NOTICE', to: email, ...mail });
    }
    return facts;
  };
  // The lock of the inviter's space covers their quota.
  const access = { needs: roleFor('inviteToWorkspace'), ids: [workspaceId, viewer.id], addresses: [email] };
  const facts = await write(viewer, access, make);
  services.mailer.wake();
  return facts.openId ?? invitation.id;
}

function requireInvitable(facts: data.InvitationFacts, { limitsInvitations }: Services['workspaces']): void {
  if (facts.invitesMember) throw invalid('email', 'must not be the address of a member');
  const { members, invitations, invitationsPerAccount } = workspaceLimits;
  if (facts.members >= members) throw invalid('workspaceId', `must be a workspace of fewer than ${members} members`);
  if (facts.openInvitations >= invitations) {
    throw invalid('workspaceId', `must be a workspace of fewer than ${invitations} open invitations`);
  }
  if (limitsInvitations && facts.sentByInviter >= invitationsPerAccount) {
    throw rateLimited(fixedPolicies.invitations, 'Too many invitations within 24 hours', facts);
  }
}

/**
 * Makes the viewer a member.
 * @throws NOT_FOUND; VALIDATION_FAILED if the account or the workspace is full
 */
export async function acceptInvitation(context: Context, id: string): Promise<string> {
  const viewer = signedIn(context);
  const spaceId = orNotFound(await data.spaceInvitedTo(viewer, id), 'Invitation');
  const join = async (tx: Database) => {
    const role = await endInvitation(tx, id);
    const members = await data.findMembers(tx, spaceId);
    if (members.some(({ userId }) => userId === viewer.id)) return undefined;
    if (members.length >= workspaceLimits.members) {
      throw invalid('id', `must be of a workspace of fewer than ${workspaceLimits.members} members`);
    }
    if ((await data.countWorkspaces(tx, viewer.id)) >= workspaceLimits.workspaces) {
      throw invalid('id', `must not make you a member of more than ${workspaceLimits.workspaces} workspaces`);
    }
    await data.addMember(tx, spaceId, viewer.id, role);
    return role;
  };
  const access = { needs: roleFor('acceptInvitation'), ids: [viewer.id], spaces: [spaceId] };
  const role = await write(viewer, access, join);
  if (role) {
    const joined = { workspaceId: spaceId, memberId: viewer.id, change: 'joined', role } as const;
    afterCommit(() => context.services.securityLog.event('privilege_permissions_changed', context, joined));
  }
  context.services.notifyChanged({ users: [viewer.id] });
  // The rest of the operation runs as a member.
  await refreshViewer(context);
  return spaceId;
}

/** @returns the role that it offered @throws NOT_FOUND if no longer open */
const endInvitation = async (tx: Database, id: string): Promise<Role> =>
  orNotFound(await data.deleteInvitation(tx, id), 'Invitation');

/** Ends an invitation to the viewer. @throws NOT_FOUND if no longer open */
export async function declineInvitation(viewer: Viewer, id: string): Promise<void> {
  const spaceId = orNotFound(await data.spaceInvitedTo(viewer, id), 'Invitation');
  const access = { needs: roleFor('declineInvitation'), ids: [], spaces: [spaceId] };
  await write(viewer, access, async (tx) => void (await endInvitation(tx, id)));
}

/** Ends any invitation to the viewer's workspaces. @throws NOT_FOUND if no longer open */
export async function revokeInvitation(viewer: Viewer, id: string, inWorkspaceId?: string | null): Promise<void> {
  const spaceId = orNotFound(await data.spaceInviting(viewer, id), 'Invitation');
  if (inWorkspaceId != null && inWorkspaceId !== spaceId) throw notFound('Invitation');
  await write(viewer, { needs: roleFor('revokeInvitation'), ids: [spaceId] }, async (tx, caller) => {
    if (!isWorkspaceOf(caller, spaceId)) throw notFound('Invitation');
    await endInvitation(tx, id);
  });
}

export async function pruneInvitations(connections: Connections): Promise<void> {
  const invitations = await data.pruneInvitations(connections);
  if (invitations > 0) log.info({ invitations }, 'expired invitations were pruned');
}
