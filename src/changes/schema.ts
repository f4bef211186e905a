import { builder } from '../graphql/builder.ts';
import { ChangeKind, Member, memberLoader } from '../graphql/shared-types.ts';
import { type Context, signedIn } from '../platform/context.ts';
import { rowLoader } from '../platform/loaders.ts';
import { findOperationsByIds } from '../platform/visible-entities.ts';
import type { Polled, PolledChange } from './log/catch-up.ts';
import * as rules from './rules.ts';

builder.subscriptionType({
  description: 'Live data over WebSocket (graphql-transport-ws) and Server-Sent Events. Requires authentication.',
});

type AnyChange = PolledChange | rules.ChangeEvent;

const TaskChange = builder.objectRef<AnyChange>('TaskChange').implement({
  description: 'A change of a task. It combines everything that one transaction did to the task.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', { description: 'Opaque position from which any transport can resume.' }),
    kind: t.expose('kind', { type: ChangeKind, description: 'Kind of the change.' }),
    taskId: t.exposeID('taskId', { description: 'Id of the task.' }),
    task: t.prismaField({
      type: 'Task',
      nullable: true,
      description: 'Current state of the task, which may be newer than the change. Null if it was deleted.',
      resolve: (query, change, _args, context) => loadTask(query, change, context) as never,
    }),
    changedFields: t.exposeStringList('fields', {
      extensions: { listSize: 10 },
      description: 'Names of the fields that an update changed. Empty for other kinds.',
    }),
    operationId: t.exposeID('operationId', { description: 'Id of the operation in the history.' }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the change.' }),
    actor: t.field({
      type: Member,
      nullable: true,
      description: 'Who made the change. Null as for `Operation.actor`.',
      resolve: async ({ operationId }, _args, context, info) => {
        const operation = await operationOf(context, operationId);
        return operation?.actorId == null ? null : memberLoader(context, info).load(operation.actorId);
      },
    }),
    client: t.string({
      nullable: true,
      description: "The device of the actor's session, or the name of the access token. Null without an actor.",
      resolve: async ({ operationId }, _args, context) => (await operationOf(context, operationId))?.client,
    }),
  }),
});

const operationOf = (context: Context, id: string) =>
  rowLoader(context, 'operations of changes', (ids) => findOperationsByIds(signedIn(context), ids)).load(id);

async function loadTask(query: object, change: AnyChange, context: Context) {
  if (change.kind === 'DELETED') return null;
  const viewer = signedIn(context);
  const task = await change.tasks.load(change.taskId, query, viewer.spaceIds);
  if (!('context' in change)) return task;
  // All receivers continue at once, so they take turns.
  await context.services.turns.next(viewer.id);
  // Its deletion follows.
  if (!task) change.withdrawn = true;
  return task;
}

const ChangeConnection = builder.objectRef<Polled>('ChangeConnection').implement({
  description: 'A page of the change log.',
  fields: (t) => ({
    nodes: t.expose('nodes', { type: [TaskChange], description: 'The changes, oldest first.' }),
    cursor: t.exposeString('cursor', { description: 'Cursor to continue from. Set even if `nodes` is empty.' }),
    hasNextPage: t.exposeBoolean('hasNextPage', { description: 'Whether more changes are available now.' }),
  }),
});

builder.queryField('changes', (t) =>
  t.field({
    type: ChangeConnection,
    description: 'The change log, for clients that poll. Without `after`, it has no changes, only the current cursor.',
    args: {
      after: t.arg.string({ description: 'Cursor of a change or of an earlier response.' }),
      first: t.arg.int({ defaultValue: 100, description: 'Maximum number of changes, up to 500.' }),
    },
    resolve: (_root, { after, first }, context) => rules.changesSince(context, after, first ?? 100),
  }),
);

builder.subscriptionField('taskChanges', (t) =>
  t.field({
    type: TaskChange,
    description:
      'Every change of every task that the caller may see, each exactly once and in order. With `after`, it starts with the changes since that cursor; otherwise with the next change.',
    args: {
      after: t.arg.string({ description: 'Cursor of the last received change.' }),
      projectId: t.arg.id({ description: 'Only tasks of this project.' }),
    },
    subscribe: (_root, args, context) => rules.subscribeToChanges(context, args),
    resolve: (change) => change,
  }),
);
