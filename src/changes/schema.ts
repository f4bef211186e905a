import { builder } from '../graphql/builder.ts';
import { ChangeKind } from '../graphql/shared-types.ts';
import type { Context } from '../kernel/context.ts';
import { signedIn } from '../kernel/context.ts';
import { nextTurn } from '../kernel/turns.ts';
import type { Polled, PolledChange } from './log/catch-up.ts';
import * as rules from './rules.ts';

builder.subscriptionType({
  description: 'What is pushed, over WebSocket (graphql-transport-ws) and Server-Sent Events. It needs a session.',
});

type AnyChange = PolledChange | rules.ChangeEvent;

const TaskChange = builder.objectRef<AnyChange>('TaskChange').implement({
  description: 'A change of a task. All that one transaction did to a task is one change.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Opaque; resume with it, over any transport.' }),
    kind: t.expose('kind', { type: ChangeKind, description: 'What happened.' }),
    taskId: t.exposeID('taskId', { description: 'Id of the task.' }),
    task: t.prismaField({
      type: 'Task',
      nullable: true,
      description: 'The task as it is now, which may be later than the change; null when deleted.',
      resolve: (query, change, _args, context) => loadTask(query, change, context) as never,
    }),
    changedFields: t.exposeStringList('fields', { description: 'Names of the changed fields, of an update.' }),
    operationId: t.exposeID('operationId', { description: 'The operation of the history that it is part of.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was written.' }),
  }),
});

async function loadTask(query: object, change: AnyChange, context: Context) {
  if (change.kind === 'DELETED') return null;
  const viewer = signedIn(context);
  const task = await change.tasks.load(change.taskId, query, viewer.spaceIds);
  if (!('context' in change)) return task;
  // All receivers have waited for the same task: they take turns.
  await nextTurn(viewer.id);
  // Deleted since the log was read: its deletion follows, so there is nothing to emit.
  if (!task) change.withdrawn = true;
  return task;
}

const ChangeConnection = builder.objectRef<Polled>('ChangeConnection').implement({
  description: 'A page of the change log.',
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [TaskChange], description: 'The changes, oldest first.' }),
    cursor: t.exposeString('cursor', { description: 'Where to go on, also when `nodes` is empty.' }),
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether there are more changes already.' }),
  }),
});

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeConnection,
    description: 'The change log, to catch up by polling. Without `after`: no changes, and the cursor of now.',
    args: {
      after: t.arg.string({ description: 'Cursor of a change or of an earlier answer.' }),
      first: t.arg.int({ defaultValue: 100, description: 'Maximum number of changes, up to 500.' }),
    },
    resolve: (_root, { after, first }, context) => rules.changesSince(context, after, first ?? 100),
  }),
);

builder.subscriptionField('taskChanges', (t) =>
  t.field({
    type: TaskChange,
    description:
      'Every change of every task that the caller may see, each exactly once and in order. With `after`: first all that was missed since that cursor, then live; else live from now.',
    args: {
      after: t.arg.string({ description: 'Cursor of the last change that was received.' }),
      projectId: t.arg.id({ description: 'Only tasks of this project.' }),
    },
    subscribe: (_root, args, context) => rules.subscribeToChanges(context, args),
    resolve: (change) => change,
  }),
);
