import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { invitationFields } from '../../src/workspaces/fields.ts';
import { invitation as newInvitation } from '../../src/workspaces/input.ts';
import { lowerEnum } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { present, route, message } from '../route.ts';
import { idOf } from '../json-schema.ts';
import { invitation, member } from './entities.ts';
import * as responses from './responses.ts';
import { WorkspaceWithMembers } from './workspaces.ts';

const InvitationWithSender = graphql(
  'fragment InvitationWithSender on Invitation { ...InvitationFields invitedBy { ...MemberFields } }',
  [invitation.fragment, member.fragment],
);

const path = z.object({ id: idOf('Workspace') });
const role = lowerEnum(invitationFields.role.type)
  .describe('Role of the new member. By default `editor`.')
  .default('EDITOR');
const invitationId = idOf('Invitation');

export const invitations = [
  route({
    method: 'get',
    path: '/api/v2/workspaces/:id/invitations',
    summary: 'Lists the open invitations of a workspace',
    description: 'Newest first. Invitations expire after 14 days.',
    input: z.object({ path }),
    document: graphql(
      'query ListWorkspaceInvitations($id: ID!) { workspace(id: $id) { invitations { ...InvitationWithSender } } }',
      [InvitationWithSender],
    ),
    response: z.object({ invitations: z.array(responses.invitation) }),
    reply: ({ workspace }) => ({ invitations: orNotFound(workspace, 'Workspace').invitations.map(invitation.show) }),
  }),
  route({
    method: 'post',
    path: '/api/v2/workspaces/:id/invitations',
    summary: 'Invites the owner of an e-mail address',
    description:
      'Sends a mail to the address, whether or not it has an account. If the address already has an open invitation, that invitation gets the role and is returned, and no mail is sent.',
    input: z.object({ path, body: newInvitation.extend({ role }) }),
    resource: 'Workspace',
    document: graphql(
      `
        mutation InviteToWorkspace($id: ID!, $email: String!, $role: WorkspaceRole) {
          inviteToWorkspace(workspaceId: $id, email: $email, role: $role) {
            ...InvitationWithSender
          }
        }
      `,
      [InvitationWithSender],
    ),
    status: 201,
    response: z.object({ invitation: responses.invitation }),
    reply: ({ inviteToWorkspace }) => ({ invitation: invitation.show(inviteToWorkspace) }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id/invitations/:invitationId',
    summary: 'Revokes an invitation of a workspace',
    description: 'Needs the role `admin`.',
    input: z.object({ path: path.extend({ invitationId }) }),
    document: graphql(
      'mutation RevokeInvitation($id: ID!, $invitationId: ID!) { revokeInvitation(id: $invitationId, inWorkspaceId: $id) }',
    ),
    ...message('invitation revoked successfully'),
  }),
  route({
    method: 'get',
    path: '/api/v2/invitations',
    summary: "Lists the open invitations to the caller's address",
    description: 'The newest comes first.',
    document: graphql('query ListInvitations { viewer { invitations { ...InvitationWithSender } } }', [
      InvitationWithSender,
    ]),
    response: z.object({ invitations: z.array(responses.invitation) }),
    reply: ({ viewer }) => ({ invitations: present(viewer).invitations.map(invitation.show) }),
  }),
  route({
    method: 'post',
    path: '/api/v2/invitations/:id/accept',
    summary: 'Accepts an invitation',
    description: "Makes the caller a member. The invitation must be to the caller's address.",
    input: z.object({ path: z.object({ id: invitationId }) }),
    document: graphql('mutation AcceptInvitation($id: ID!) { acceptInvitation(id: $id) { ...WorkspaceWithMembers } }', [
      WorkspaceWithMembers,
    ]),
    response: z.object({ workspace: responses.workspace }),
    reply: ({ acceptInvitation: workspace }) => ({ workspace }),
  }),
  route({
    method: 'post',
    path: '/api/v2/invitations/:id/decline',
    summary: 'Declines an invitation',
    description: "Ends an invitation to the caller's address.",
    input: z.object({ path: z.object({ id: invitationId }) }),
    document: graphql('mutation DeclineInvitation($id: ID!) { declineInvitation(id: $id) }'),
    ...message('invitation declined successfully'),
  }),
];
