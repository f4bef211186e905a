import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { graphql } from '../graphql.ts';
import { lower } from '../entity.ts';
import { queryNumber } from '../json-schema.ts';
import { type RestCaller, route } from '../route.ts';
import * as responses from './responses.ts';
import { TaskWithTags, toTodoWithTags } from './task-shape.ts';

const ChangeFields = graphql(
  'fragment ChangeFields on TaskChange { cursor kind taskId changedFields operationId at task { ...TaskWithTags } }',
  [TaskWithTags],
);

export const ChangeStream = graphql(
  'subscription Events($after: String) { taskChanges(after: $after) { ...ChangeFields } }',
  [ChangeFields],
);

export const CursorOfNow = graphql('query CursorOfNow { changes { cursor } }');

export type ChangeData = ResultOf<typeof ChangeFields>;

/** Shows a change, its task without subtasks. */
export const toChange = (change: ChangeData, caller: RestCaller) => ({
  ...change,
  kind: lower(change.kind),
  task: change.task && toTodoWithTags(change.task, caller),
});

const limit = queryNumber({ minimum: 1, maximum: 500, default: 100, description: 'Maximum number of changes.' });

const after = z
  .string()
  .describe('Cursor of the last change that was read. Without it, only the current cursor is returned.');

/** Contract decisions, realtime. */
export const changes = [
  route({
    method: 'get',
    path: '/api/v2/changes',
    summary: 'Lists the changes of tasks after a cursor, or returns the current cursor',
    description:
      'Start without a cursor to get the current one, then continue from it. If `hasMore` is true, more changes are available at once.',
    input: z.object({ query: z.object({ after: after.optional(), limit: limit.optional() }) }),
    names: { first: 'limit' },
    document: graphql(
      `
        query ListChanges($after: String, $first: Int) {
          changes(after: $after, first: $first) {
            nodes {
              ...ChangeFields
            }
            cursor
            hasNextPage
          }
        }
      `,
      [ChangeFields],
    ),
    variables: ({ query }) => ({ after: query.after ?? null, first: query.limit ?? 100 }),
    errors: ['CURSOR_EXPIRED'],
    response: responses.taskChanges,
    reply: ({ changes: { nodes, cursor, hasNextPage } }, caller) => ({
      changes: nodes.map((node) => toChange(node, caller)),
      cursor,
      hasMore: hasNextPage,
    }),
  }),
];
