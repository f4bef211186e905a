import { builder } from '../graphql/builder.ts';
import { EntityType } from '../graphql/shared-types.ts';
import { connectionType, pageArguments } from '../graphql/page-type.ts';
import { kindOfType } from '../platform/entities.ts';
import { OperationRef } from './schema.ts';
import * as rules from './rules.ts';
import * as trash from './trash-rules.ts';

const TrashEntry = builder.objectRef<trash.TrashEntry>('TrashEntry').implement({
  description: 'A deleted entity that can be restored, with the entities that were deleted with it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id of the entity, which it keeps when it is restored.' }),
    type: t.field({
      type: EntityType,
      description: 'The type of the entity.',
      resolve: ({ type }) => kindOfType(type),
    }),
    spaceId: t.exposeID('spaceId', {
      description: "The id of its workspace. For an entity outside workspaces, the user's id.",
    }),
    title: t.exposeString('title', { description: 'The title of a task, or the name of another entity.' }),
    deletedAt: t.field({
      type: 'DateTime',
      description: 'The time of the deletion.',
      resolve: ({ operation }) => operation.at,
    }),
    operation: t.field({
      type: OperationRef,
      description: 'The operation with the deletion.',
      resolve: ({ operation }) => operation,
    }),
    entities: t.int({
      description: 'The number of deleted entities: this one, and the entities that were deleted with it.',
      resolve: ({ entities }) => entities(),
    }),
  }),
});

const TrashConnection = connectionType('Trash', TrashEntry, 'entry');

const UndoConflict = builder.objectRef<rules.UndoResult['conflicts'][number]>('UndoConflict').implement({
  description: 'A part of an operation that an undo leaves as it is.',
  fields: (t) => ({
    type: t.field({
      type: EntityType,
      description: 'The type of the entity.',
      resolve: ({ type }) => kindOfType(type),
    }),
    id: t.exposeID('id', { nullable: true, description: 'The id of the entity; null if the caller cannot see it.' }),
    field: t.exposeString('field', { nullable: true, description: 'The field; null: the whole entity.' }),
    reason: t.exposeString('reason', { description: 'The reason for people, with the time of a later change.' }),
  }),
});

const UndoPayload = builder.objectRef<rules.UndoResult>('UndoPayload').implement({
  description: 'The result of an undo, or of its dry run.',
  fields: (t) => ({
    operation: t.field({
      type: OperationRef,
      nullable: true,
      description: 'The new operation; null for a dry run, or if nothing was applied.',
      resolve: async ({ operationId }, _args, context) =>
        operationId === null ? null : (await rules.findOperations(context, [operationId]))[0],
    }),
    applied: t.exposeInt('applied', { description: 'The number of changed entities, subtrees included.' }),
    conflicts: t.expose('conflicts', {
      type: [UndoConflict],
      extensions: { listSize: 10 },
      description: 'The parts that are not undone.',
    }),
  }),
});

builder.queryField('trash', (t) =>
  t.field({
    type: TrashConnection,
    description:
      "The deleted entities of the caller's spaces that can be restored, newest first: only the top of each deletion.",
    args: pageArguments,
    resolve: (_root, args, context) => trash.listTrash(context, args),
  }),
);

builder.mutationFields((t) => ({
  undo: t.field({
    type: UndoPayload,
    description:
      'Undoes an operation of any member, except the parts that were changed again. The undo is an operation, which can be undone in turn.',
    args: {
      operationId: t.arg.id({
        required: true,
        description: "Id of the operation, or the idempotency key of the caller's mutation.",
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'Returns the result without any change.' }),
    },
    resolve: (_root, { operationId, dryRun }, context) => rules.undo(context, operationId, dryRun ?? false),
  }),
  restore: t.field({
    type: UndoPayload,
    description: 'Restores entries of the trash, each with the entities that were deleted with it.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of entries of the trash, at most 1,000.' }) },
    resolve: (_root, { ids }, context) => trash.restore(context, ids),
  }),
  emptyTrash: t.int({
    description: 'Deletes entries of the trash permanently. Returns their number.',
    args: {
      ids: t.arg.idList({
        description:
          "Ids of entries, at most 1,000; absent: all entries of the caller's own space, and the caller's own deletions in workspaces.",
      }),
    },
    resolve: (_root, { ids }, context) => trash.emptyTrash(context, ids),
  }),
}));
