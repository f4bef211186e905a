import DataLoader from 'dataloader';
import { queryFromInfo } from '@pothos/plugin-prisma';
import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '../graphql/builder.ts';
import { addNodes, Node } from '../graphql/node.ts';
import { ChangeKind, EntityType, Member } from '../graphql/shared-types.ts';
import { budgetOf, type Context, signedIn } from '../kernel/context.ts';
import { kindOfType } from '../kernel/entities.ts';
import { readMany, type Selection } from '../nested-read/read.ts';
import { connectionOf, pageArguments } from './page-type.ts';
import * as rules from './rules.ts';

export const OperationRef = builder.objectRef<rules.Operation>('Operation');

const loaders = new WeakMap<Context, Map<string, DataLoader<string, object | null>>>();

/** Loads actors, at once for all operations with the same selection of their actor. */
function actorLoader(context: Context, info: GraphQLResolveInfo) {
  const selection = queryFromInfo({ context, info, typeName: 'Member' }) as Selection;
  const key = JSON.stringify(selection);
  const own = loaders.get(context) ?? new Map<string, DataLoader<string, object | null>>();
  loaders.set(context, own);
  const loader =
    own.get(key) ??
    new DataLoader(async (ids: readonly string[]) => {
      const select = { ...selection.select, id: true };
      const where = { id: { in: [...ids] } };
      const rows: { id: string }[] = await readMany('User', { select, where } as never, budgetOf(signedIn(context)));
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    });
  own.set(key, loader);
  return loader;
}

const FieldChange = builder.objectRef<rules.EntityChange['fields'][number]>('FieldChange').implement({
  description: 'How an operation changed a field.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the field, as in `changedFields`.' }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description: 'Its value before, as GraphQL shows it; of what it refers to, the id.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'Its value afterwards, likewise; null where the entity was deleted.',
    }),
  }),
});

const EntityChange = builder.objectRef<rules.EntityChange>('EntityChange').implement({
  description: 'What an operation did to an entity, as far as the caller may see it.',
  fields: (t) => ({
    type: t.field({ type: EntityType, description: 'What it is.', resolve: ({ type }) => kindOfType(type) }),
    id: t.exposeID('id', { description: 'Its id.' }),
    kind: t.expose('kind', { type: ChangeKind, description: 'What happened to it.' }),
    fields: t.expose('fields', {
      type: [FieldChange],
      description: 'The fields that changed; of what was deleted all, of what was created none.',
    }),
    operation: t.field({
      type: OperationRef,
      description: 'The operation that did it.',
      resolve: ({ operation }) => operation,
    }),
  }),
});

const EntityChangeConnection = connectionOf('EntityChange', EntityChange, 'change');

addNodes(rules.findOperations);

OperationRef.implement({
  interfaces: [Node],
  description: 'One transaction that changed something.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `op`.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was written.' }),
    actor: t.field({
      type: Member,
      nullable: true,
      description: 'Who it was; null where it was the operator, or SQL by hand, or the account has been deleted.',
      resolve: ({ actorId }, _args, context, info) =>
        (actorId === null ? null : actorLoader(context, info).load(actorId)) as never,
    }),
    client: t.exposeString('client', {
      nullable: true,
      description: "What the actor came by: a session's device, a token's name; null where there is no actor.",
    }),
    summary: t.string({
      description: 'What it did, for people, such as "Deleted 12 tasks".',
      resolve: (operation) => operation.summary(),
    }),
    changes: t.field({
      type: EntityChangeConnection,
      description: 'What it did to each entity that the caller may see.',
      args: pageArguments,
      resolve: (operation, args, context) => rules.listChanges(context, operation, args),
    }),
    undoable: t.boolean({
      description: 'Whether it can be undone: not where it is too old, has nothing to undo, or was undone already.',
      resolve: (operation) => operation.undoable(),
    }),
    undoOf: t.exposeID('undoOf', { nullable: true, description: 'The operation that this one undid.' }),
    undoneBy: t.exposeID('undoneBy', { nullable: true, description: 'The operation that undid this one.' }),
  }),
});

const OperationConnection = connectionOf('Operation', OperationRef, 'operation');

for (const type of ['Task', 'Project'] as const) {
  builder.prismaObjectField(type, 'history', (t) =>
    t.field({
      type: EntityChangeConnection,
      description: 'What was done to it, the newest first.',
      args: pageArguments,
      select: { id: true },
      resolve: ({ id }, args, context) => rules.listHistory(context, id, args),
    }),
  );
}

builder.queryFields((t) => ({
  operations: t.field({
    type: OperationConnection,
    description: "What anybody did in the caller's spaces, the newest first.",
    args: {
      spaceId: t.arg.id({ description: "In this space alone: a workspace's id, or the caller's own." }),
      ...pageArguments,
    },
    resolve: (_root, args, context) => rules.listOperations(context, args),
  }),
  operation: t.field({
    type: OperationRef,
    nullable: true,
    description: 'The operation with that id; null where there is none that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'Id of an operation.' }) },
    resolve: async (_root, { id }, context) => (await rules.findOperations(context, [id]))[0],
  }),
}));
