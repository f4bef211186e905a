import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '../graphql/builder.ts';
import { enumRef, exposed } from '../graphql/fields.ts';
import { type Context, noteExpiry, signedIn } from '../platform/context.ts';
import { workspaceRole } from '../platform/roles.ts';
import { answering } from '../platform/visible-entities.ts';
import * as data from './data.ts';
import { invitationFields } from './fields.ts';
import * as rules from './invitation-rules.ts';
import { Member } from '../graphql/shared-types.ts';
import { Workspace } from './schema.ts';

const Invitation = builder.prismaObject('Invitation', {
  // The expiry limits caching.
  select: { id: true, expiresAt: true },
  description:
    'An offer of membership to the owner of an e-mail address, open for 14 days. It shows the name of the workspace and nothing else of it.',
  fields: (t) => ({
    ...exposed(t, invitationFields),
    workspaceId: t.exposeID('spaceId', { description: invitationFields.workspaceId.description }),
    workspaceName: t.string({
      description: invitationFields.workspaceName.description,
      select: { space: { select: { name: true } } },
      resolve: ({ space }) => space.name ?? '',
    }),
    invitedBy: t.field({
      type: Member,
      description: 'The inviter, who may no longer be a member.',
      select: (_args, _context, nestedSelection) => ({ invitedBy: nestedSelection(true) }),
      resolve: ({ invitedBy }) => invitedBy,
    }),
  }),
});

function limitCaching<Row extends { expiresAt: Date }>(invitations: Row[], context: Context): Row[] {
  for (const { expiresAt } of invitations) noteExpiry(context, expiresAt);
  return invitations;
}

builder.prismaObjectField('User', 'invitations', (t) =>
  t.field({
    type: [Invitation],
    extensions: { listSize: 2 },
    description: "Open invitations to the user's address, newest first.",
    select: { email: true },
    resolve: async ({ email }, _args, context, info) =>
      limitCaching(
        await data.findInvitationsTo(context.services.connections, email, queryFromInfo({ context, info })),
        context,
      ),
  }),
);

builder.prismaObjectField(Workspace, 'invitations', (t) =>
  t.field({
    type: [Invitation],
    extensions: { listSize: 2 },
    description: 'Open invitations, newest first.',
    select: (_args, _context, nestedSelection) => ({
      invitations: { ...nestedSelection(true), orderBy: data.newestFirst },
    }),
    resolve: ({ invitations }, _args, context) => limitCaching(invitations, context),
  }),
);

const invitationId = { required: true, description: 'Id of an open invitation.' } as const;

builder.mutationFields((t) => ({
  inviteToWorkspace: t.prismaField({
    type: Invitation,
    extensions: { cost: 20_000 },
    description:
      'Invites an address by mail, with or without an account. An open invitation to the same address stays and gets the role, and no other mail is sent. Needs the role ADMIN. A workspace has up to 50 open invitations, and an account sends up to 100 a day.',
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      email: t.arg.string({ required: true, description: 'An address that belongs to no member.' }),
      role: t.arg({ type: enumRef(workspaceRole), defaultValue: 'EDITOR', description: 'Role of the new member.' }),
    },
    resolve: async (query, _root, { workspaceId, email, role }, context) =>
      data.findInvitation(
        context.services.connections,
        await rules.inviteToWorkspace(context, workspaceId, { email, role: role ?? 'EDITOR' }),
        query,
      ),
  }),
  acceptInvitation: t.prismaField({
    type: Workspace,
    description:
      "Accepts an invitation to the viewer's address, who becomes a member. An account is in up to 100 workspaces, and a workspace has up to 500 members.",
    args: { id: t.arg.id(invitationId) },
    resolve: answering('Workspace', (context, { id }) => rules.acceptInvitation(context, id)),
  }),
  declineInvitation: t.id({
    description: "Declines an invitation to the viewer's address. Returns its id.",
    args: { id: t.arg.id(invitationId) },
    resolve: (_root, { id }, context) => rules.declineInvitation(signedIn(context), id).then(() => id),
  }),
  revokeInvitation: t.id({
    description: "Revokes an invitation to one of the viewer's workspaces. Returns its id. Needs the role ADMIN.",
    args: {
      id: t.arg.id(invitationId),
      inWorkspaceId: t.arg.id({ description: 'Expected workspace of the invitation. NOT_FOUND if it differs.' }),
    },
    resolve: (_root, { id, inWorkspaceId }, context) =>
      rules.revokeInvitation(signedIn(context), id, inWorkspaceId).then(() => id),
  }),
}));
