import { builder } from '../graphql/builder.ts';
import { addNodes, Node } from '../graphql/node.ts';
import { ChangeKind, EntityType, Member, memberLoader } from '../graphql/shared-types.ts';
import { kindOfType } from '../platform/entities.ts';
import { connectionType, pageArguments } from '../graphql/page-type.ts';
import * as rules from './rules.ts';

export const OperationRef = builder.objectRef<rules.Operation>('Operation');

const FieldChange = builder.objectRef<rules.EntityChange['fields'][number]>('FieldChange').implement({
  description: 'How an operation changed a field.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name of the field, as in `changedFields`.' }),
    before: t.expose('before', {
      type: 'JSON',
      nullable: true,
      description: 'The value before, as in GraphQL; a reference is an id.',
    }),
    after: t.expose('after', {
      type: 'JSON',
      nullable: true,
      description: 'The value afterwards; null if the entity was deleted.',
    }),
  }),
});

const EntityChange = builder.objectRef<rules.EntityChange>('EntityChange').implement({
  description: 'The change of an entity by an operation.',
  fields: (t) => ({
    type: t.field({
      type: EntityType,
      description: 'The type of the entity.',
      resolve: ({ type }) => kindOfType(type),
    }),
    id: t.exposeID('id', { description: 'The id of the entity.' }),
    kind: t.expose('kind', { type: ChangeKind, description: 'The kind of the change.' }),
    fields: t.expose('fields', {
      type: [FieldChange],
      extensions: { listSize: 10 },
      description: 'The changed fields: all fields of a deleted entity, none of a created one.',
    }),
    operation: t.field({
      type: OperationRef,
      description: 'The operation with the change.',
      resolve: ({ operation }) => operation,
    }),
  }),
});

const EntityChangeConnection = connectionType('EntityChange', EntityChange, 'change');

addNodes(rules.findOperations);

OperationRef.implement({
  interfaces: [Node],
  description: 'A transaction with changes.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'TypeID with the prefix `op`.' }),
    at: t.expose('at', { type: 'DateTime', description: 'The time of the changes.' }),
    actor: t.field({
      type: Member,
      nullable: true,
      description: 'The member who made the changes; null for the operator, for manual SQL, and for a deleted account.',
      resolve: ({ actorId }, _args, context, info) =>
        (actorId === null ? null : memberLoader(context, info).load(actorId)) as never,
    }),
    client: t.exposeString('client', {
      nullable: true,
      description: "The device of the actor's session, or the name of the access token; null without an actor.",
    }),
    summary: t.string({
      description: 'A description for people, such as "Deleted 12 tasks".',
      resolve: (operation) => operation.summary(),
    }),
    changes: t.field({
      type: EntityChangeConnection,
      extensions: { cost: 150 },
      description: 'The changes of each entity that the caller may see.',
      args: pageArguments,
      resolve: (operation, args, context) => rules.listChanges(context, operation, args),
    }),
    undoable: t.boolean({
      description: 'Whether it can be undone: false if it is too old, has nothing to undo, or is already undone.',
      resolve: (operation) => operation.undoable(),
    }),
    undoOf: t.exposeID('undoOf', { nullable: true, description: 'The operation that this one undid.' }),
    undoneBy: t.exposeID('undoneBy', { nullable: true, description: 'The operation that undid this one.' }),
  }),
});

const OperationConnection = connectionType('Operation', OperationRef, 'operation');

for (const type of ['Task', 'Project'] as const) {
  builder.prismaObjectField(type, 'history', (t) =>
    t.field({
      type: EntityChangeConnection,
      // Reads whole operations of up to 5,000 entities.
      extensions: { cost: 100 },
      description: 'The changes of the entity, newest first.',
      args: pageArguments,
      select: { id: true },
      resolve: ({ id }, args, context) => rules.listHistory(context, id, args),
    }),
  );
}

builder.queryFields((t) => ({
  operations: t.field({
    type: OperationConnection,
    description: "The operations of the caller's spaces, newest first.",
    args: {
      spaceId: t.arg.id({
        description: "Only the operations of this space: the id of a workspace, or the caller's id.",
      }),
      ...pageArguments,
    },
    resolve: (_root, args, context) => rules.listOperations(context, args),
  }),
  operation: t.field({
    type: OperationRef,
    nullable: true,
    description: 'The operation with the id; null if there is none that the caller may see.',
    args: { id: t.arg.id({ required: true, description: 'Id of an operation.' }) },
    resolve: async (_root, { id }, context) => (await rules.findOperations(context, [id]))[0],
  }),
}));
