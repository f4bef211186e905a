import { builder } from '../kernel/builder.ts';
import { signedIn } from '../kernel/context.ts';
import { findsNodes, Node } from '../kernel/node.ts';
import { isPersonal } from '../projects/policy.ts';
import * as data from './data.ts';
import * as rules from './rules.ts';

const Member = builder.prismaObject('User', {
  variant: 'Member',
  // Nothing but the fields that are asked for leaves the database.
  select: { id: true },
  description: 'What members of a workspace may see of each other.',
  fields: (t) => ({
    id: t.exposeID('id', { description: "The user's id." }),
    name: t.exposeString('name', { nullable: true, description: 'Display name; null until it is set.' }),
    email: t.exposeString('email', { nullable: true, description: 'The address that signs in, in lower case.' }),
    image: t.string({
      nullable: true,
      description: 'Absolute URL of the avatar, readable without a session; null where none was uploaded.',
      select: { avatar: true },
      resolve: ({ avatar }, _args, { publicUrl }) => avatar && `${publicUrl}/avatars/${avatar}`,
    }),
  }),
});

findsNodes('Workspace', data.findWorkspacesById);

const Workspace = builder.prismaObject('Space', {
  select: { id: true },
  name: 'Workspace',
  interfaces: [Node],
  description: 'What its members share: projects with their sections and tasks. Tags stay private.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `wksp`.' }),
    name: t.string({
      description: 'Display name.',
      select: { name: true },
      // The database holds that every space but a personal one has a name.
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

builder.queryField('workspaces', (t) =>
  t.prismaField({
    type: [Workspace],
    description: 'The workspaces that the viewer is a member of, by creation.',
    resolve: (query, _root, _args, context) => data.findWorkspaces(signedIn(context), query),
  }),
);

builder.mutationFields((t) => ({
  createWorkspace: t.prismaField({
    type: Workspace,
    description: 'Makes a workspace with the viewer as its only member.',
    args: { name: t.arg.string({ required: true, description: '1 to 255 characters after trimming.' }) },
    resolve: async (query, _root, { name }, context) =>
      data.findChanged(await rules.createWorkspace(signedIn(context), name), query),
  }),
  addWorkspaceMember: t.prismaField({
    type: Workspace,
    description: 'Makes an account a member, by its address; a second time it has no effect. Any member may do so.',
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      email: t.arg.string({ required: true, description: 'Address of the account.' }),
    },
    resolve: async (query, _root, { workspaceId, email }, context) => {
      await rules.addMember(signedIn(context), workspaceId, email);
      return data.findChanged(workspaceId, query);
    },
  }),
  removeWorkspaceMember: t.prismaField({
    type: Workspace,
    description:
      "Ends a membership, the own one too, and takes the member's tags off the tasks. FORBIDDEN for the last member.",
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      userId: t.arg.id({ required: true, description: 'Id of the member.' }),
    },
    resolve: async (query, _root, { workspaceId, userId }, context) => {
      await rules.removeMember(signedIn(context), workspaceId, userId);
      return data.findChanged(workspaceId, query);
    },
  }),
}));
