import { z } from 'zod';
import { valuesOf } from '../../src/platform/fields.ts';
import { notificationReason } from '../../src/activity/fields.ts';
import { lower, timestamp } from '../entity.ts';
import { graphql } from '../graphql.ts';
import { count, idOf, moment, sentAs } from '../json-schema.ts';
import { present, route } from '../route.ts';
import { CommentWithAuthor } from './comments.ts';
import { member } from './entities.ts';
import { after, NextPage, nextPage, pageSize, toNextPage } from './page.ts';
import * as responses from './responses.ts';
import { FoundTask, toFoundTodo } from './task-shape.ts';

const unread = sentAs(
  z.enum(['true', 'false']).transform((value) => value === 'true'),
  { type: 'boolean', description: 'Only entries with unread events.' },
);

const page = z.object({
  unread: unread.optional(),
  after,
  first: pageSize({ minimum: 1, maximum: 500, default: 50 }),
});

const notification = z
  .object({
    task: responses.foundTask,
    reasons: z
      .array(z.enum(valuesOf(notificationReason).map((reason) => lower(reason))))
      .describe(notificationReason.description),
    unread: count().describe('Number of unread events.'),
    at: moment().describe('Time of the newest event.'),
    actor: member.response.nullable().describe('Who caused the newest event.'),
    comment: responses.comment.nullable().describe('The comment of the newest event.'),
  })
  .meta({ id: 'Notification', description: 'A task with events for the caller.' });

export const notifications = [
  route({
    method: 'get',
    path: '/api/v2/notifications',
    summary: "Lists the caller's notifications, newest first",
    description: 'An entry for each task. Tasks have the shape of the search. Events are kept for 90 days.',
    input: z.object({ query: page }),
    document: graphql(
      `
        query ListNotifications($unread: Boolean, $first: Int, $after: String) {
          notifications(unread: $unread, first: $first, after: $after) {
            nodes {
              task {
                ...FoundTask
              }
              reasons
              unread
              at
              actor {
                ...MemberFields
              }
              comment {
                ...CommentWithAuthor
              }
            }
            pageInfo {
              ...NextPage
            }
          }
          viewer {
            unreadNotifications
          }
        }
      `,
      [FoundTask, member.fragment, CommentWithAuthor, NextPage],
    ),
    response: z
      .object({
        notifications: z.array(notification),
        unread: count().describe('Number of tasks with unread events.'),
        ...nextPage,
      })
      .meta({ id: 'Notifications', description: "A page of the caller's notifications." }),
    reply: ({ notifications: { nodes, pageInfo }, viewer }, caller) => ({
      notifications: nodes.map(({ task, reasons, ...entry }) => ({
        task: toFoundTodo(task, caller),
        reasons: reasons.map((reason) => lower(reason)),
        ...entry,
      })),
      unread: present(viewer).unreadNotifications,
      ...toNextPage(pageInfo),
    }),
  }),
  route({
    method: 'post',
    path: '/api/v2/notifications/read',
    summary: 'Marks notifications as read',
    description: 'Without `taskIds`, of all tasks. With `until`, events that came later stay unread.',
    input: z.object({
      body: z.object({
        taskIds: z.array(z.string()).nullish().describe('Ids of tasks, at most 10,000.'),
        until: timestamp.nullish().describe('Time of the last of these events, inclusive.'),
      }),
    }),
    document: graphql(`
      mutation ReadNotifications($taskIds: [ID!], $until: DateTime) {
        readNotifications(taskIds: $taskIds, until: $until)
      }
    `),
    response: z.object({ readCount: count().describe('Number of tasks that had such events.') }),
    reply: ({ readNotifications }) => ({ readCount: readNotifications }),
  }),
  route({
    method: 'put',
    path: '/api/v2/todo/:id/muted',
    summary: 'Mutes a task, or ends that',
    description: "The caller's own setting. Comments on a muted task notify the caller only if they mention them.",
    resource: 'Task',
    input: z.object({
      path: z.object({ id: idOf('Task') }),
      body: z.object({ muted: z.boolean().describe('Whether to mute the task.') }),
    }),
    document: graphql('mutation MuteTask($id: ID!, $muted: Boolean!) { muteTask(id: $id, muted: $muted) { muted } }'),
    response: z.object({ muted: z.boolean() }),
    reply: ({ muteTask }) => muteTask,
  }),
];
