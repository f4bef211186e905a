import { builder } from '../graphql/builder.ts';
import { signedIn } from '../kernel/context.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { Node } from '../graphql/node.ts';
import { Member } from '../graphql/shared-types.ts';
import { answering, findById } from '../nested-read/entities.ts';
import { isPersonal } from '../projects/policy.ts';
import * as data from './data.ts';
import { workspaceFields } from './fields.ts';
import * as rules from './rules.ts';

export const Workspace = builder.prismaObject('Space', {
  select: { id: true },
  name: 'Workspace',
  interfaces: [Node],
  description: 'What its members share: projects with their sections and tasks. Tags stay private.',
  fields: (t) => ({
    ...exposed(t, workspaceFields),
    // The type of the column allows null, for personal spaces.
    name: t.string({
      description: workspaceFields.name.description,
      select: { name: true },
      resolve: ({ name }) => name ?? '',
    }),
    members: t.field({
      type: [Member],
      description: 'Its members, the first one first.',
      select: (_args, _context, nestedSelection) => ({
        memberships: {
          select: { user: nestedSelection(true) },
          orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
        },
      }),
      resolve: ({ memberships }) => memberships.map(({ user }) => user),
    }),
    projects: t.relation('projects', {
      description: 'Its projects, by creation.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
  }),
});

builder.prismaObjectField('Project', 'workspace', (t) =>
  t.field({
    type: Workspace,
    nullable: true,
    description: 'The workspace that it belongs to; null for a personal project.',
    select: (_args, _context, nestedSelection) => ({ spaceId: true, space: nestedSelection(true) }),
    resolve: ({ space, ...project }, _args, context) => (isPersonal(signedIn(context), project) ? null : space),
  }),
);

builder.queryFields((t) => ({
  workspaces: t.prismaField({
    type: [Workspace],
    description: 'The workspaces that the viewer is a member of, by creation.',
    resolve: (query, _root, _args, context) => data.findWorkspaces(signedIn(context), query),
  }),
  workspace: t.prismaField({
    type: Workspace,
    nullable: true,
    description: 'The workspace with that id; null where the viewer is a member of none such.',
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (query, _root, { id }, context) => findById('Workspace', signedIn(context), id, query),
  }),
}));

builder.mutationFields((t) => ({
  createWorkspace: t.prismaField({
    type: Workspace,
    description: 'Makes a workspace with the viewer as its only member. An account has up to 100.',
    args: inputFields(t.arg, workspaceFields, 'create'),
    resolve: answering('Workspace', rules.createWorkspace),
  }),
  updateWorkspace: t.prismaField({
    type: Workspace,
    description: 'Renames a workspace. Any member may do so.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
    },
    resolve: answering('Workspace', (context, { id, name }) => rules.updateWorkspace(signedIn(context), id, name)),
  }),
  deleteWorkspace: t.id({
    description:
      'Deletes a workspace with all that is in it, and answers its id. FORBIDDEN while there are other members.',
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (_root, { id }, context) => rules.deleteWorkspace(context, id).then(() => id),
  }),
  leaveWorkspace: t.id({
    description:
      "Ends the viewer's membership, takes their tags off the tasks, and answers the workspace's id. FORBIDDEN for the last member, who deletes the workspace instead.",
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (_root, { id }, context) => rules.removeMember(context, id, signedIn(context).id),
  }),
  removeWorkspaceMember: t.prismaField({
    type: Workspace,
    description:
      "Ends a membership, the own one too, and takes the member's tags off the tasks; invitations that a removed member has sent end as well. FORBIDDEN for the last member.",
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      userId: t.arg.id({ required: true, description: 'Id of the member.' }),
    },
    resolve: answering('Workspace', (context, { workspaceId, userId }) =>
      rules.removeMember(context, workspaceId, userId),
    ),
  }),
}));
