import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { workspaceName } from '../../src/workspaces/input.ts';
import { orNotFound } from '../../src/platform/errors.ts';
import { lower, lowerEnum } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { additions, route, message } from '../route.ts';
import { idOf } from '../json-schema.ts';
import { member, membership, workspace } from './entities.ts';
import * as responses from './responses.ts';

export const WorkspaceWithMembers = graphql(
  'fragment WorkspaceWithMembers on Workspace { ...WorkspaceFields members { ...MemberFields } }',
  [workspace.fragment, member.fragment],
);

const MembershipWithMember = graphql(
  'fragment MembershipWithMember on Membership { ...MembershipFields member { ...MemberFields } }',
  [membership.fragment, member.fragment],
);

const toMember = ({ member, ...own }: FragmentOf<typeof MembershipWithMember>) => ({
  ...member,
  ...membership.show(own),
});

const WorkspaceWithRoles = graphql(
  'fragment WorkspaceWithRoles on Workspace { ...WorkspaceFields memberships { ...MembershipWithMember } }',
  [workspace.fragment, MembershipWithMember],
);

/** In batches, members have roles. */
const shown = {
  ...workspace,
  fragment: WorkspaceWithRoles,
  show: ({ memberships, ...own }: FragmentOf<typeof WorkspaceWithRoles>) => ({
    ...own,
    members: memberships.map(({ member, role }) => ({ ...member, role: lower(role) })),
  }),
  response: workspace.response.extend({ members: z.array(responses.membership.omit({ joinedAt: true })) }),
};

const path = z.object({ id: idOf('Workspace') });
const userId = idOf('User', 'member');

const routes = additions(
  route({
    method: 'get',
    path: '/api/v2/workspaces',
    summary: 'Lists the workspaces that the caller is a member of',
    description: 'Ordered by creation. The members of each are ordered by joining.',
    document: graphql('query ListWorkspaces { workspaces { ...WorkspaceWithMembers } }', [WorkspaceWithMembers]),
    response: z.object({ workspaces: z.array(responses.workspace) }),
    reply: (data) => data,
  }),
  route({
    method: 'post',
    path: '/api/v2/workspaces',
    summary: 'Creates a workspace',
    description: 'The caller is its only member. An account has up to 100.',
    input: z.object({ body: z.object(workspace.body('create')) }),
    document: workspace.mutation('create', WorkspaceWithMembers, {}),
    status: 201,
    response: z.object({ workspace: responses.workspace }),
    reply: ({ createWorkspace }) => ({ workspace: createWorkspace }),
  }),
  route({
    method: 'put',
    path: '/api/v2/workspaces/:id',
    summary: 'Renames a workspace',
    description: 'Needs the role `admin`.',
    input: z.object({ path, body: workspaceName }),
    resource: 'Workspace',
    document: graphql(
      `
        mutation UpdateWorkspace($id: ID!, $name: String!) {
          updateWorkspace(id: $id, name: $name) {
            ...WorkspaceWithMembers
          }
        }
      `,
      [WorkspaceWithMembers],
    ),
    response: z.object({ workspace: responses.workspace }),
    reply: ({ updateWorkspace }) => ({ workspace: updateWorkspace }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id',
    summary: 'Deletes a workspace with all its contents',
    description: 'Only the last member may do so: 403 if there are others.',
    input: z.object({ path }),
    document: graphql('mutation DeleteWorkspace($id: ID!) { deleteWorkspace(id: $id) }'),
    ...message('workspace deleted successfully'),
  }),
  route({
    method: 'get',
    path: '/api/v2/workspaces/:id/members',
    summary: 'Lists the members of a workspace with their roles',
    description: 'Ordered by joining.',
    input: z.object({ path }),
    document: graphql(
      'query ListMembers($id: ID!) { workspace(id: $id) { memberships { ...MembershipWithMember } } }',
      [MembershipWithMember],
    ),
    response: z.object({ members: z.array(responses.membership) }),
    reply: ({ workspace: found }) => ({ members: orNotFound(found, 'Workspace').memberships.map(toMember) }),
  }),
  route({
    method: 'put',
    path: '/api/v2/workspaces/:id/members/:userId',
    summary: 'Changes the role of a member',
    description: 'Needs the role `admin`. 403 for the last `admin`. Invitations by a demoted member end.',
    input: z.object({
      path: path.extend({ userId }),
      body: z.object({ role: lowerEnum(membership.fields.role.type) }),
    }),
    resource: 'Workspace',
    document: graphql(
      `
        mutation SetMemberRole($id: ID!, $userId: ID!, $role: WorkspaceRole!) {
          setWorkspaceRole(workspaceId: $id, userId: $userId, role: $role) {
            memberships {
              ...MembershipWithMember
            }
          }
        }
      `,
      [MembershipWithMember],
    ),
    response: z.object({ member: responses.membership }),
    reply: ({ setWorkspaceRole: { memberships } }, _caller, { path: params }) => ({
      member: orNotFound(
        memberships.map(toMember).find(({ id }) => id === params.userId),
        'Member',
      ),
    }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id/members/:userId',
    summary: 'Ends a membership',
    description:
      "Needs the role `admin`. With their own id, callers leave, with any role. The member's tags are removed from the tasks. The last `admin` receives 403 and can give another member this role, or as the last member delete the workspace.",
    input: z.object({ path: path.extend({ userId }) }),
    resource: 'Workspace',
    document: graphql(
      'mutation RemoveMember($id: ID!, $userId: ID!) { removeWorkspaceMember(workspaceId: $id, userId: $userId) { id } }',
    ),
    ...message('member removed successfully'),
  }),
);

export const workspaces = { shown, routes };
