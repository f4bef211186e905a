import { builder } from '../graphql/builder.ts';
import { signedIn } from '../platform/context.ts';
import type { Prisma } from '../generated/prisma/client.ts';
import { enumRef, exposed, inputFields } from '../graphql/fields.ts';
import { orNotFound } from '../platform/errors.ts';
import { workspaceRole } from '../platform/roles.ts';
import { Node } from '../graphql/node.ts';
import { Member } from '../graphql/shared-types.ts';
import { answering, findById } from '../platform/visible-entities.ts';
import { isPersonal } from './policy.ts';
import * as data from './data.ts';
import { membershipFields, workspaceFields } from './fields.ts';
import * as rules from './rules.ts';

const byJoining = [{ createdAt: 'asc' }, { userId: 'asc' }] satisfies Prisma.MembershipOrderByWithRelationInput[];

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
          orderBy: byJoining,
        },
      }),
      resolve: ({ memberships }) => memberships.map(({ user }) => user),
    }),
    role: t.field({
      type: enumRef(workspaceRole),
      description: "The viewer's own role.",
      resolve: ({ id }, _args, context) => orNotFound(signedIn(context).roles.get(id), 'Workspace'),
    }),
    memberships: t.relation('memberships', {
      extensions: { listSize: 5 },
      description: 'The members with their roles, in the order of joining.',
      query: { orderBy: byJoining },
    }),
    projects: t.relation('projects', {
      extensions: { listSize: 5 },
      description: 'Projects, by creation.',
      query: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] },
    }),
  }),
});

builder.prismaObject('Membership', {
  select: { userId: true },
  description: 'The membership of a user in a workspace.',
  fields: (t) => ({
    ...exposed(t, membershipFields),
    member: t.relation('user', { type: Member, description: 'The member.' }),
    joinedAt: t.expose('createdAt', { type: 'DateTime', description: membershipFields.joinedAt.description }),
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
      "Ends the viewer's membership and takes their tags off the tasks. Returns the workspace's id. FORBIDDEN for the last ADMIN, who can give another member this role, or as the last member delete the workspace.",
    args: { id: t.arg.id({ required: true, description: 'Id of the workspace.' }) },
    resolve: (_root, { id }, context) => rules.removeMember(context, id, signedIn(context).id),
  }),
  removeWorkspaceMember: t.prismaField({
    type: Workspace,
    description:
      "Ends a membership, possibly the viewer's own, and takes the member's tags off the tasks. Invitations by a removed member end as well. Others need the role ADMIN. FORBIDDEN for the last ADMIN.",
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      userId: t.arg.id({ required: true, description: 'Id of the member.' }),
    },
    resolve: answering('Workspace', (context, { workspaceId, userId }) =>
      rules.removeMember(context, workspaceId, userId),
    ),
  }),
  setWorkspaceRole: t.prismaField({
    type: Workspace,
    description:
      'Changes the role of a member, possibly of the viewer. Invitations by a demoted member end. Needs the role ADMIN. FORBIDDEN for the last ADMIN.',
    args: {
      workspaceId: t.arg.id({ required: true, description: 'Id of the workspace.' }),
      userId: t.arg.id({ required: true, description: 'Id of the member.' }),
      role: t.arg({ type: enumRef(workspaceRole), required: true, description: 'The new role.' }),
    },
    resolve: answering('Workspace', (context, { workspaceId, userId, role }) =>
      rules.setRole(context, workspaceId, userId, role),
    ),
  }),
}));
