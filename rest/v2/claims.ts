import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import * as input from '../../src/claims/input.ts';
import { claimFields } from '../../src/claims/fields.ts';
import { priority } from '../../src/tasks/fields.ts';
import { entity, lowerEnum } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { idOf, moment } from '../json-schema.ts';
import { message, route } from '../route.ts';
import { member } from './entities.ts';
import * as responses from './responses.ts';
import { toInput } from './task-input.ts';
import { TaskWithTags, toTodoWithTags } from './task-shape.ts';

const own = entity('Claim', claimFields);

const claim = own.response
  .extend({ holder: responses.member.describe('Who claimed the task.') })
  .meta({ id: 'Claim', description: 'Says who works on a task, until the claim ends.' });

const OwnClaim = graphql('fragment OwnClaim on ClaimPayload { fence expiresAt task { id } }');

const ownClaim = z
  .object({
    fence: own.response.shape.fence,
    taskId: idOf('Task'),
    expiresAt: moment().describe('Time when the claim ends.'),
  })
  .meta({ id: 'OwnClaim', description: 'A claim of the caller.' });

const toOwnClaim = ({ fence, expiresAt, task }: ResultOf<typeof OwnClaim>) => ({ fence, taskId: task.id, expiresAt });

const seconds = input.seconds.default(300).describe('Seconds until the claim ends.');

const filter = z.object({
  projectId: z.string().describe('Tasks of this project.').nullish(),
  projectSectionId: z.string().describe('Tasks of this section.').nullish(),
  parentId: z.string().describe('Direct subtasks of this task.').nullish(),
  tagIds: z.array(z.string()).describe('Tasks with at least one of these tags.').nullish(),
  priority: z.array(lowerEnum(priority)).describe('Tasks with one of these priorities.').nullish(),
});

const path = z.object({ fence: z.string().describe('Fence of the claim.') });

export const claims = [
  route({
    method: 'get',
    path: '/api/v2/claims',
    summary: 'Lists claims on tasks',
    description: 'The newest 1,000 on tasks that the caller sees, the newest first.',
    document: graphql('query ListClaims { claims { ...ClaimFields holder { ...MemberFields } } }', [
      own.fragment,
      member.fragment,
    ]),
    response: z.object({ claims: z.array(claim) }),
    reply: (data) => data,
  }),
  route({
    method: 'post',
    path: '/api/v2/claims',
    summary: 'Claims a task, or the first one that matches a filter',
    description:
      'Others cannot claim it until the claim ends. A filter takes the first open, unclaimed task: by priority, due date and time, sort key, id. `claim` and `todo` are null if no task matches.',
    errors: ['NOT_FOUND', 'TASK_CLAIMED'],
    input: z.object({
      body: z.object({
        taskId: z.string().describe('Id of an open task.').nullish(),
        filter: filter.describe('Conditions for the task, instead of `taskId`.').nullish(),
        seconds,
      }),
    }),
    names: { id: 'taskId', tagIds: 'filter.tagIds' },
    document: graphql(
      'mutation ClaimTask($id: ID, $filter: TaskFilter, $seconds: Int) { claimTask(id: $id, filter: $filter, seconds: $seconds) { ...OwnClaim task { ...TaskWithTags } } }',
      [OwnClaim, TaskWithTags],
    ),
    variables: ({ body: { taskId, filter, seconds } }) => ({ id: taskId, filter: filter && toInput(filter), seconds }),
    response: z.object({ claim: ownClaim.nullable(), todo: responses.taskWithTags.nullable() }),
    reply: ({ claimTask: claimed }, caller) => ({
      claim: claimed && toOwnClaim(claimed),
      todo: claimed && toTodoWithTags(claimed.task, caller),
    }),
  }),
  route({
    method: 'post',
    path: '/api/v2/claims/:fence/renew',
    summary: 'Renews a claim',
    description: 'Only the session or token that claimed the task may. No change is reported.',
    errors: ['CLAIM_LOST'],
    input: z.object({ path, body: z.object({ seconds }) }),
    document: graphql(
      'mutation RenewClaim($fence: String!, $seconds: Int) { renewClaim(fence: $fence, seconds: $seconds) { ...OwnClaim } }',
      [OwnClaim],
    ),
    response: z.object({ claim: ownClaim }),
    reply: ({ renewClaim }) => ({ claim: toOwnClaim(renewClaim) }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/claims/:fence',
    summary: 'Releases a claim',
    description: 'A token releases its own claims. A session releases any claim on a task that it may change.',
    errors: ['CLAIM_LOST'],
    input: z.object({ path }),
    document: graphql('mutation ReleaseClaim($fence: String!) { releaseClaim(fence: $fence) { id } }'),
    ...message('claim released successfully'),
  }),
];
