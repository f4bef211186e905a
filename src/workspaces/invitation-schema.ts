import { queryFromInfo } from '@pothos/plugin-prisma';
import { builder } from '../graphql/builder.ts';
import { exposed } from '../graphql/fields.ts';
import { type Context, endsAt, signedIn } from '../kernel/context.ts';
import { answering } from '../nested-read/entities.ts';
import * as data from './data.ts';
import { invitationFields } from './fields.ts';
import * as rules from './invitation-rules.ts';
import { Member } from '../graphql/shared-types.ts';
import { Workspace } from './schema.ts';

const Invitation = builder.prismaObject('Invitation', {
  // When it ends decides for how long an answer holds.
  select: { id: true, expiresAt: true },
  description:
    'An offer of membership to the owner of an e-mail address, open for 14 days. It shows nothing else of the workspace before it is accepted.',
  fields: (t) => ({
    ...exposed(t, invitationFields),
    workspaceId: t.exposeID('spaceId', { description: invitationFields.workspaceId.description }),
    workspaceName: t.string({
      description: invitationFields.workspaceName.description,
      select: { space: { select: { name: true } } },
      // The database holds that every space but a personal one has a name.
      resolve: ({ space }) => space.name ?? '',
    }),
    invitedBy: t.field({
      type: Member,
      description: 'Who has sent it, also when they are no longer a member.',
      select: (_args, _context, nestedSelection) => ({ invitedBy: nestedSelection(true) }),
      resolve: ({ invitedBy }) => invitedBy,
    }),
  }),
});

/** Open invitations as the value of a field: an answer that shows them holds until the first of them ends. */
function shown<Row extends { expiresAt: Date }>(invitations: Row[], context: Context): Row[] {
  for (const { expiresAt } of invitations) endsAt(context, expiresAt);
  return invitations;
}

builder.prismaObjectField('User', 'invitations', (t) =>
  t.field({
    type: [Invitation],
    description: "The open invitations to the user's address, the newest first.",
    select: { email: true },
    resolve: async ({ email }, _args, context, info) =>
      shown(await data.findInvitationsTo(email, queryFromInfo({ context, info })), context),
  }),
);

builder.prismaObjectField(Workspace, 'invitations', (t) =>
  t.field({
    type: [Invitation],
    description: 'Its open invitations, the newest first.',
    select: (_args, _context, nestedSelection) => ({
      invitations: { ...nestedSelection(true), orderBy: data.newestFirst },
    }),
    resolve: ({ invitations }, _args, context) => shown(invitations, context),
  }),
);

const invitationId = { required: true, description: 'Id of an open invitation.' } as const;

builder.mutationFields((t) => ({
  inviteToWorkspace: t.prismaField({
    type: Invitation,
    description:
      'Invites the owner of the address, with or without an account, by mail. An address that is invited already keeps its open invitation, without another mail. Any member may do so. A workspace has up to 50 open invitations, an account makes up to 100 a day.',
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      email: t.arg.string({ required: true, description: 'An address that no member has.' }),
    },
    resolve: async (query, _root, { workspaceId, email }, context) =>
      data.findInvitation(await rules.inviteToWorkspace(context, workspaceId, email), query),
  }),
  acceptInvitation: t.prismaField({
    type: Workspace,
    description:
      'Makes the viewer a member, where the invitation is to their address. An account is in up to 100 workspaces, a workspace has up to 500 members.',
    args: { id: t.arg.id(invitationId) },
    resolve: answering('Workspace', (context, { id }) => rules.acceptInvitation(context, id)),
  }),
  declineInvitation: t.id({
    description: "Ends an invitation to the viewer's address, and answers its id.",
    args: { id: t.arg.id(invitationId) },
    resolve: (_root, { id }, context) => rules.declineInvitation(signedIn(context), id).then(() => id),
  }),
  revokeInvitation: t.id({
    description: 'Ends an invitation to a workspace of the viewer, and answers its id. Any member may do so.',
    args: {
      id: t.arg.id(invitationId),
      inWorkspaceId: t.arg.id({ description: 'The workspace that the invitation must be to, else NOT_FOUND.' }),
    },
    resolve: (_root, { id, inWorkspaceId }, context) =>
      rules.revokeInvitation(signedIn(context), id, inWorkspaceId).then(() => id),
  }),
}));
