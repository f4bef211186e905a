import { builder } from '../graphql/builder.ts';
import { signedIn } from '../platform/context.ts';
import { exposed, inputFields } from '../graphql/fields.ts';
import { Node } from '../graphql/node.ts';
import { Member } from '../graphql/shared-types.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import { isPersonal } from './policy.ts';
import * as data from './data.ts';
import { workspaceFields } from './fields.ts';
import * as rules from './rules.ts';

export const Workspace = builder.prismaObject('Space', {
  select: { id: true },
  name: 'Workspace',
  interfaces: [Node],
  description: 'A space that its members share: projects with their sections and tasks. Tags stay private.',
  fields: (t) => ({
    ...exposed(t, workspaceFields),
    // The column allows null for personal spaces.
    name: t.string({
      description: workspaceFields.name.description,
      select: { name: true },
      resolve: ({ name }) => name ?? '',
    }),
    members: t.field({
      type: [Member],
      extensions: { listSize: 5 },
      description: 'Members, in the order of joining.',
      select: (_args, _context, nestedSelection) => ({
        memberships: {
          select: { user: nestedSelection(true) },
          orderBy: [{ createdAt: 'asc' }, { userId: 'asc' }],
        },
      }),
      resolve: ({ memberships }) => memberships.map(({ user }) => user),
    }),
    projects: t.relation('projects', {
      extensions: { listSize: 5 },
      description: 'Projects, by creation.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
  }),
});

builder.prismaObjectField('Project', 'workspace', (t) =>
  t.field({
    type: Workspace,
    nullable: true,
    extensions: { isShared: true },
    description: 'Workspace of the project. Null for a personal project.',
    select: (_args, _context, nestedSelection) => ({ spaceId: true, space: nestedSelection(true) }),
    resolve: ({ space, ...project }, _args, context) => (isPersonal(signedIn(context), project) ? null : space),
  }),
);

builder.queryFields((t) => ({
  workspaces: t.prismaField({
    type: [Workspace],
    extensions: { listSize: 3 },
    description: "The viewer's workspaces, by creation.",
    resolve: (query, _root, _args, context) => data.findWorkspaces(signedIn(context), query),
  }),
  workspace: t.prismaField({
    type: Workspace,
    nullable: true,
    description: 'A workspace by id. Null if the viewer is not a member of it.',
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (query, _root, { id }, context) => findById('Workspace', signedIn(context), id, query),
  }),
}));

builder.mutationFields((t) => ({
  createWorkspace: t.prismaField({
    type: Workspace,
    description: 'Creates a workspace with the viewer as its only member. An account is in up to 100.',
    args: inputFields(t.arg, workspaceFields, 'create'),
    resolve: answering('Workspace', rules.createWorkspace),
  }),
  updateWorkspace: t.prismaField({
    type: Workspace,
    description: 'Renames a workspace. Needs the role ADMIN.',
    args: {
      id: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }),
    },
    resolve: answering('Workspace', (context, { id, name }) => rules.updateWorkspace(signedIn(context), id, name)),
  }),
  deleteWorkspace: t.id({
    description: 'Deletes a workspace with its contents. Returns its id. FORBIDDEN while there are other members.',
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (_root, { id }, context) => rules.deleteWorkspace(context, id).then(() => id),
  }),
  leaveWorkspace: t.id({
    description:
      "Ends the viewer's membership and takes their tags off the tasks. Returns the workspace's id. FORBIDDEN for the last member, who can delete the workspace instead.",
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (_root, { id }, context) => rules.removeMember(context, id, signedIn(context).id),
  }),
  removeWorkspaceMember: t.prismaField({
    type: Workspace,
    description:
      "Ends a membership, possibly the viewer's own, and takes the member's tags off the tasks. Invitations by a removed member end as well. FORBIDDEN for the last member.",
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      userId: t.arg.id({ required: true, description: 'Id of the member.' }),
    },
    resolve: answering('Workspace', (context, { workspaceId, userId }) =>
      rules.removeMember(context, workspaceId, userId),
    ),
  }),
}));
