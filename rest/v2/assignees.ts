import type { FragmentOf } from 'gql.tada';
import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { graphql } from '../graphql.ts';
import { idOf } from '../json-schema.ts';
import { route } from '../route.ts';
import { member } from './entities.ts';
import * as responses from './responses.ts';

const Assignees = graphql('fragment AssigneesOfRest on Task { assignees { ...MemberFields } }', [member.fragment]);

const path = z.object({ id: idOf('Task') });
const pathOfUser = path.extend({ userId: idOf('User', 'member') });

const response = z.object({ assignees: z.array(responses.member).describe('In the order of assignment.') });

const shown = (data: FragmentOf<typeof Assignees>) => ({ assignees: data.assignees });

export const assignees = [
  route({
    method: 'get',
    path: '/api/v2/todo/:id/assignees',
    summary: 'Lists the assignees of a task',
    description: 'Up to ten members, in the order of assignment.',
    input: z.object({ path }),
    document: graphql('query ListAssignees($id: ID!) { task(id: $id) { ...AssigneesOfRest } }', [Assignees]),
    response,
    reply: ({ task }) => shown(orNotFound(task, 'Task')),
  }),
  route({
    method: 'put',
    path: '/api/v2/todo/:id/assignees/:userId',
    summary: 'Assigns a member to a task',
    description: "Changes nothing if the member is assigned. Any other user than a member of the task's space: 400.",
    input: z.object({ path: pathOfUser }),
    resource: 'Task',
    names: { addAssigneeIds: 'userId' },
    document: graphql(
      `
        mutation AddAssignee($id: ID!, $userId: ID!) {
          updateTask(id: $id, input: { addAssigneeIds: [$userId] }) {
            ...AssigneesOfRest
          }
        }
      `,
      [Assignees],
    ),
    response,
    reply: ({ updateTask }) => shown(updateTask),
  }),
  route({
    method: 'delete',
    path: '/api/v2/todo/:id/assignees/:userId',
    summary: 'Removes an assignee from a task',
    description: 'Changes nothing if the user is not assigned.',
    input: z.object({ path: pathOfUser }),
    document: graphql(
      `
        mutation RemoveAssignee($id: ID!, $userId: ID!) {
          updateTask(id: $id, input: { removeAssigneeIds: [$userId] }) {
            ...AssigneesOfRest
          }
        }
      `,
      [Assignees],
    ),
    response,
    reply: ({ updateTask }) => shown(updateTask),
  }),
];
