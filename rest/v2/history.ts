import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { orNotFound } from '../../src/platform/errors.ts';
import { graphql } from '../graphql.ts';
import { route } from '../route.ts';
import { member } from './entities.ts';
import { after, NextPage, pageSize, toNextPage } from './page.ts';
import * as responses from './responses.ts';
import { lower } from '../entity.ts';

const UndoFields = graphql(
  'fragment UndoFields on UndoPayload { operation { id } applied conflicts { type id field reason } }',
);

const toUndone = ({ operation, applied, conflicts }: ResultOf<typeof UndoFields>) => ({
  applied,
  conflicts: conflicts.map(({ type, ...conflict }) => ({ ...conflict, type: lower(type) })),
  operationId: operation?.id ?? null,
});

const page = z.object({ after, limit: pageSize({ minimum: 1, maximum: 500, default: 100 }) });

export const history = [
  route({
    method: 'post',
    path: '/api/v2/operations/:id/undo',
    summary: 'Undoes an operation',
    description:
      'Undoes a write by its `X-Operation-Id`, or by the `Idempotency-Key` that the caller gave it. Values that were changed since are conflicts and stay. With `dryRun`, the effect is only reported.',
    resource: 'Operation',
    input: z.object({
      path: z.object({ id: z.string().describe('Id or idempotency key of the operation.') }),
      body: z.object({ dryRun: z.boolean().describe('Whether to report the effect without applying it.').optional() }),
    }),
    document: graphql(
      `
        mutation UndoOperation($operationId: ID!, $dryRun: Boolean) {
          undo(operationId: $operationId, dryRun: $dryRun) {
            ...UndoFields
          }
        }
      `,
      [UndoFields],
    ),
    variables: ({ path, body }) => ({ operationId: path.id, dryRun: body.dryRun ?? false }),
    response: responses.undone,
    reply: (data) => toUndone(data.undo),
  }),
  route({
    method: 'get',
    path: '/api/v2/trash',
    summary: 'Lists deleted entities that can be restored, newest first',
    description: 'Each entry is the root of a deletion. `entities` counts everything that was deleted with it.',
    input: z.object({ query: page }),
    names: { first: 'limit' },
    document: graphql(
      `
        query ListTrash($after: String, $first: Int) {
          trash(after: $after, first: $first) {
            nodes {
              id
              type
              title
              deletedAt
              entities
            }
            pageInfo {
              ...NextPage
            }
          }
        }
      `,
      [NextPage],
    ),
    variables: ({ query }) => ({ after: query.after ?? null, first: query.limit ?? 100 }),
    response: responses.trash,
    reply: ({ trash: { nodes, pageInfo } }) => ({
      trash: nodes.map(({ type, ...entry }) => ({ ...entry, type: lower(type) })),
      ...toNextPage(pageInfo),
    }),
  }),
  route({
    method: 'post',
    path: '/api/v2/trash/restore',
    summary: 'Restores deleted entities',
    description: 'Restores entries of the trash, including everything that was deleted with them.',
    input: z.object({ body: z.object({ ids: z.array(z.string()).describe('Ids of trash entries.') }) }),
    document: graphql('mutation RestoreEntries($ids: [ID!]!) { restore(ids: $ids) { ...UndoFields } }', [UndoFields]),
    errors: ['NOT_FOUND'],
    response: responses.undone,
    reply: (data) => toUndone(data.restore),
  }),
  route({
    method: 'get',
    path: '/api/v2/todo/:id/history',
    summary: 'Lists the changes of a task, newest first',
    description: 'Shows the actor, time and fields of each change within the retention period.',
    input: z.object({ path: z.object({ id: z.string().describe('Id of the task.') }), query: page }),
    names: { first: 'limit' },
    resource: 'Task',
    document: graphql(
      `
        query TodoHistory($id: ID!, $after: String, $first: Int) {
          task(id: $id) {
            history(after: $after, first: $first) {
              nodes {
                kind
                fields {
                  name
                  before
                  after
                }
                operation {
                  id
                  at
                  actor {
                    ...MemberFields
                  }
                }
              }
              pageInfo {
                ...NextPage
              }
            }
          }
        }
      `,
      [member.fragment, NextPage],
    ),
    variables: ({ path, query }) => ({ id: path.id, after: query.after ?? null, first: query.limit ?? 100 }),
    response: responses.taskHistory,
    reply: ({ task }) => {
      const { nodes, pageInfo } = orNotFound(task, 'Task').history;
      return {
        history: nodes.map(({ kind, fields, operation: { id, at, actor } }) => ({
          operationId: id,
          at,
          actor,
          kind: lower(kind),
          fields: fields.map(({ name, before, after }) => ({ name, before: before ?? null, after: after ?? null })),
        })),
        ...toNextPage(pageInfo),
      };
    },
  }),
];
