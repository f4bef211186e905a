import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { workspaceName } from '../../src/workspaces/input.ts';
import { graphql } from '../graphql.ts';
import { additions, route, message } from '../route.ts';
import { idOf } from '../json-schema.ts';
import { member, workspace } from './entities.ts';
import * as responses from './responses.ts';

export const WorkspaceWithMembers = graphql(
  'fragment WorkspaceWithMembers on Workspace { ...WorkspaceFields members { ...MemberFields } }',
  [workspace.fragment, member.fragment],
);

const shown = {
  ...workspace,
  fragment: WorkspaceWithMembers,
  show: (data: FragmentOf<typeof WorkspaceWithMembers>) => data,
  response: responses.workspace,
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
    errors: ['FORBIDDEN'],
    input: z.object({ path }),
    document: graphql('mutation DeleteWorkspace($id: ID!) { deleteWorkspace(id: $id) }'),
    ...message('workspace deleted successfully'),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id/members/:userId',
    summary: 'Ends a membership',
    description:
      "Any member may do so. With their own id, callers leave. The member's tags are removed from the tasks. The last member receives 403 and can delete the workspace instead.",
    errors: ['FORBIDDEN'],
    input: z.object({ path: path.extend({ userId }) }),
    document: graphql(`
      mutation RemoveMember($workspaceId: ID!, $userId: ID!) {
        removeWorkspaceMember(workspaceId: $workspaceId, userId: $userId) {
          id
        }
      }
    `),
    variables: ({ path: params }) => ({ workspaceId: params.id, userId: params.userId }),
    ...message('member removed successfully'),
  }),
);

export const workspaces = { shown, routes };
