import { z } from 'zod';
import { createWorkspace, workspaceName } from '../../src/workspaces/input.ts';
import { graphql } from '../graphql.ts';
import { route, message } from '../route.ts';
import { exampleIds, idOf } from '../v1/responses.ts';
import * as responses from './responses.ts';

export const MemberFields = graphql(`
  fragment MemberFields on Member {
    id
    name
    email
    image
  }
`);

export const WorkspaceFields = graphql(
  `
    fragment WorkspaceFields on Workspace {
      id
      name
      members {
        ...MemberFields
      }
    }
  `,
  [MemberFields],
);

const path = z.object({ id: idOf('workspace', exampleIds.workspace) });
const userId = idOf('member', exampleIds.user);

/** Additions to the contract: workspaces and their members. */
export const workspaces = [
  route({
    method: 'get',
    path: '/api/v2/workspaces',
    summary: 'Lists the workspaces that the caller is a member of',
    description: 'They come by creation, each with its members, the first one first.',
    document: graphql(
      `
        query ListWorkspaces {
          workspaces {
            ...WorkspaceFields
          }
        }
      `,
      [WorkspaceFields],
    ),
    response: z.object({ workspaces: z.array(responses.workspace) }),
    reply: (data) => data,
  }),
  route({
    method: 'post',
    path: '/api/v2/workspaces',
    summary: 'Creates a workspace',
    description: 'The caller is its only member. An account has up to 100.',
    input: z.object({ body: createWorkspace }),
    document: graphql(
      `
        mutation CreateWorkspace($id: ID, $name: String!) {
          createWorkspace(id: $id, name: $name) {
            ...WorkspaceFields
          }
        }
      `,
      [WorkspaceFields],
    ),
    status: 201,
    response: z.object({ workspace: responses.workspace }),
    reply: ({ createWorkspace: workspace }) => ({ workspace }),
  }),
  route({
    method: 'put',
    path: '/api/v2/workspaces/:id',
    summary: 'Renames a workspace',
    description: 'Any member may do so.',
    input: z.object({ path, body: workspaceName }),
    resource: 'Workspace',
    document: graphql(
      `
        mutation UpdateWorkspace($id: ID!, $name: String!) {
          updateWorkspace(id: $id, name: $name) {
            ...WorkspaceFields
          }
        }
      `,
      [WorkspaceFields],
    ),
    response: z.object({ workspace: responses.workspace }),
    reply: ({ updateWorkspace: workspace }) => ({ workspace }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id',
    summary: 'Deletes a workspace with all that is in it',
    description: 'Only its last member may do so: 403 while there are others.',
    errors: ['FORBIDDEN'],
    input: z.object({ path }),
    document: graphql(`
      mutation DeleteWorkspace($id: ID!) {
        deleteWorkspace(id: $id)
      }
    `),
    ...message('workspace deleted successfully'),
  }),
  route({
    method: 'delete',
    path: '/api/v2/workspaces/:id/members/:userId',
    summary: 'Ends a membership',
    description:
      "Any member may do so; the caller's own id: they leave. Takes the member's tags off the tasks. 403 for the last member, who deletes the workspace instead.",
    errors: ['FORBIDDEN'],
    input: z.object({ path: path.extend({ userId }) }),
    document: graphql(`
      mutation RemoveMember($workspaceId: ID!, $userId: ID!) {
        removeWorkspaceMember(workspaceId: $workspaceId, userId: $userId) {
          id
        }
      }
    `),
    variables: ({ path: given }) => ({ workspaceId: given.id, userId: given.userId }),
    ...message('member removed successfully'),
  }),
];
