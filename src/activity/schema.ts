import { unavailable } from '@taskgate/base';
import type { Selection } from '@taskgate/nested-read';
import { builder } from '../graphql/builder.ts';
import { enumRef } from '../graphql/fields.ts';
import { connectionType, pageArguments } from '../graphql/page-type.ts';
import { Member, memberLoader } from '../graphql/shared-types.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { rowLoader } from '../platform/loaders.ts';
import { answering, findByIds } from '../platform/visible-entities.ts';
import { notificationReason } from './fields.ts';
import * as rules from './rules.ts';

/** Loads the entities of all entries by one statement. */
const loaderOfEntities = (kind: 'Task' | 'Comment', context: Context, selection: Selection) =>
  rowLoader(context, ['notified', kind, selection], (ids) => findByIds(kind, signedIn(context), ids, selection));

const Notification = builder.objectRef<rules.Entry>('Notification').implement({
  description: 'A task with events for the caller: one entry, however many they are.',
  fields: (t) => ({
    task: t.prismaField({
      type: 'Task',
      description: 'The task.',
      resolve: async (query, { taskId }, _args, context) => {
        const task = await loaderOfEntities('Task', context, query).load(taskId);
        if (!task) throw unavailable('A task was deleted while its notification was read: try again');
        return task as never;
      },
    }),
    reasons: t.expose('reasons', {
      type: [enumRef(notificationReason)],
      extensions: { listSize: 3 },
      description: 'Reasons of the unread events, in display order. If there are none, of the newest event.',
    }),
    unread: t.exposeInt('unread', { description: 'Number of unread events.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the newest event.' }),
    actor: t.field({
      type: Member,
      nullable: true,
      description: 'Who caused the newest event. Null for a deleted account, and for manual SQL.',
      resolve: ({ actorId }, _args, context, info) =>
        (actorId === null ? null : memberLoader(context, info).load(actorId)) as never,
    }),
    comment: t.prismaField({
      type: 'Comment',
      nullable: true,
      description: 'The comment of the newest event. Null for an assignment, and if the comment was deleted.',
      resolve: (query, { commentId }, _args, context) =>
        (commentId === null ? null : loaderOfEntities('Comment', context, query).load(commentId)) as never,
    }),
  }),
});

const NotificationConnection = connectionType('Notification', Notification, 'notification');

builder.queryField('notifications', (t) =>
  t.field({
    type: NotificationConnection,
    description: "The caller's notifications, newest first. Events are kept for 90 days.",
    // Passes over earlier events of the tasks.
    extensions: { scans: () => true },
    args: {
      unread: t.arg.boolean({ defaultValue: false, description: 'True for entries with unread events only.' }),
      ...pageArguments,
    },
    resolve: (_root, { unread, ...args }, context) =>
      rules.notifications(context, { unread: unread ?? false, ...args }),
  }),
);

builder.prismaObjectField('User', 'unreadNotifications', (t) =>
  t.int({
    extensions: { scans: () => true },
    description: 'Number of tasks with unread events.',
    select: { id: true },
    resolve: ({ id }, _args, context) => rules.unreadNotifications(context, id),
  }),
);

builder.prismaObjectField('Task', 'muted', (t) =>
  t.boolean({
    description: 'Whether the caller muted the task: its comments notify them only if they mention them.',
    select: (_args, context) => rules.mutesOf(context),
    resolve: ({ mutes }) => mutes.length > 0,
  }),
);

builder.mutationFields((t) => ({
  readNotifications: t.int({
    description: 'Marks events as read. Returns the number of tasks that had such events.',
    args: {
      taskIds: t.arg.idList({ description: 'Ids of tasks, at most 10,000. Absent: all. Skips other ids.' }),
      until: t.arg({ type: 'DateTime', description: 'Time of the last of these events, inclusive.' }),
    },
    resolve: (_root, { taskIds, until }, context) => rules.readNotifications(signedIn(context), taskIds, until),
  }),
  muteTask: t.prismaField({
    type: 'Task',
    description: "Changes `muted`, the caller's own setting. It is no change of the task.",
    args: {
      id: t.arg.id({ required: true, description: 'Id of the task.' }),
      muted: t.arg.boolean({ required: true, description: 'Whether to mute the task.' }),
    },
    resolve: answering('Task', (context, { id, muted }) => rules.muteTask(signedIn(context), id, muted)),
  }),
}));
