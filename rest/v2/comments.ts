import type { ResultOf } from 'gql.tada';
import { z } from 'zod';
import { notTheAuthor } from '../../src/comments/input.ts';
import { searchQuery } from '../../src/tasks/input.ts';
import { orNotFound } from '../../src/platform/errors.ts';
import { changesOf } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { idOf } from '../json-schema.ts';
import { additions, message, route } from '../route.ts';
import { comment, member } from './entities.ts';
import { after, nextPage, NextPage, pageSize, toNextPage } from './page.ts';
import * as responses from './responses.ts';

export const CommentWithAuthor = graphql(
  'fragment CommentWithAuthor on Comment { ...CommentFields author { ...MemberFields } }',
  [comment.fragment, member.fragment],
);

const shown = {
  ...comment,
  fragment: CommentWithAuthor,
  response: responses.comment,
  show: (data: ResultOf<typeof CommentWithAuthor>) => data,
};

const ofTask = z.object({ id: idOf('Task') });
const path = z.object({ id: idOf('Comment') });

const routes = additions(
  route({
    method: 'get',
    path: '/api/v2/todo/:id/comments',
    summary: 'Lists the comments on a task, the oldest first',
    description: 'Everybody who sees a task sees its comments.',
    input: z.object({
      path: ofTask,
      query: z.object({ after, first: pageSize({ minimum: 1, maximum: 500, default: 50 }) }),
    }),
    resource: 'Task',
    document: graphql(
      `
        query ListComments($id: ID!, $after: String, $first: Int) {
          task(id: $id) {
            comments(after: $after, first: $first) {
              nodes {
                ...CommentWithAuthor
              }
              pageInfo {
                ...NextPage
              }
            }
          }
        }
      `,
      [CommentWithAuthor, NextPage],
    ),
    response: z.object({ comments: z.array(shown.response), ...nextPage }),
    reply: ({ task }) => {
      const { nodes, pageInfo } = orNotFound(task, 'Task').comments;
      return { comments: nodes, ...toNextPage(pageInfo) };
    },
  }),
  route({
    method: 'post',
    path: '/api/v2/todo/:id/comments',
    summary: 'Comments on a task',
    description: '`@` and the id of a member of the space mention that member.',
    input: z.object({ path: ofTask, body: z.object(comment.body('create')) }),
    resource: 'Task',
    names: { taskId: 'id' },
    document: comment.mutation('create', CommentWithAuthor, { taskId: 'ID!' }),
    variables: ({ path: { id }, body }) => ({ taskId: id, ...body }),
    status: 201,
    response: z.object({ comment: shown.response }),
    reply: ({ createComment }) => ({ comment: createComment }),
  }),
  route({
    method: 'get',
    path: '/api/v2/comments/search',
    summary: 'Searches comments, newest first',
    description: 'Finds comments with all the words, or words that begin with them.',
    input: z.object({ query: z.object({ q: searchQuery.describe('Words to look for.') }) }),
    names: { query: 'q' },
    document: graphql(
      'query SearchComments($query: String!) { search(query: $query) { comments { ...CommentWithAuthor } } }',
      [CommentWithAuthor],
    ),
    variables: ({ query }) => ({ query: query.q }),
    response: z.object({ comments: z.array(shown.response) }),
    reply: ({ search: { comments: found } }) => ({ comments: found }),
  }),
  route({
    method: 'patch',
    path: '/api/v2/comments/:id',
    summary: 'Changes the text of a comment',
    description: 'Only its author may change it.',
    input: z.object({ path, body: changesOf(comment.body('update')) }),
    resource: 'Comment',
    authorOnly: notTheAuthor,
    document: graphql(
      'mutation UpdateComment($id: ID!, $text: String!) { updateComment(id: $id, text: $text) { ...CommentWithAuthor } }',
      [CommentWithAuthor],
    ),
    variables: ({ path: { id }, body: { text } }) => ({ id, text: text ?? '' }),
    response: z.object({ comment: shown.response }),
    reply: ({ updateComment }) => ({ comment: updateComment }),
  }),
  route({
    method: 'delete',
    path: '/api/v2/comments/:id',
    summary: 'Deletes a comment',
    description: 'Its author may delete it, and an administrator of the workspace.',
    input: z.object({ path }),
    resource: 'Comment',
    document: graphql('mutation DeleteComment($id: ID!) { deleteComment(id: $id) }'),
    ...message('comment deleted successfully'),
  }),
);

export const comments = { shown, routes };
