import { builder } from '../graphql/builder.ts';
import { EntityType } from '../graphql/shared-types.ts';
import { connectionOf, pageArguments } from './page-type.ts';
import { kindOfType } from '../kernel/entities.ts';
import { OperationRef } from './schema.ts';
import * as rules from './rules.ts';
import * as trash from './trash-rules.ts';

const TrashEntry = builder.objectRef<trash.TrashEntry>('TrashEntry').implement({
  description: 'Something that was deleted and can be restored, with all that was deleted with it.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The id that it had, and has again when it is restored.' }),
    type: t.field({ type: EntityType, description: 'What it was.', resolve: ({ type }) => kindOfType(type) }),
    title: t.exposeString('title', { description: 'Title of a task, name of anything else.' }),
    deletedAt: t.field({
      type: 'DateTime',
      description: 'When it was deleted.',
      resolve: ({ operation }) => operation.at,
    }),
    operation: t.field({
      type: OperationRef,
      description: 'The operation that deleted it.',
      resolve: ({ operation }) => operation,
    }),
    entities: t.int({
      description: 'How many entities were deleted: it, and what went with it.',
      resolve: ({ entities }) => entities(),
    }),
  }),
});

const TrashConnection = connectionOf('Trash', TrashEntry, 'entry');

const UndoConflict = builder.objectRef<rules.Undone['conflicts'][number]>('UndoConflict').implement({
  description: 'A difference that an undo leaves.',
  fields: (t) => ({
    type: t.field({ type: EntityType, description: 'What it is about.', resolve: ({ type }) => kindOfType(type) }),
    id: t.exposeID('id', { nullable: true, description: 'Its id; null for what the caller cannot see.' }),
    field: t.exposeString('field', { nullable: true, description: 'The field; null: the whole of it.' }),
    reason: t.exposeString('reason', { description: 'Why, for people, and since when.' }),
  }),
});

const UndoPayload = builder.objectRef<rules.Undone>('UndoPayload').implement({
  description: 'What an undo did, or would do.',
  fields: (t) => ({
    operation: t.field({
      type: OperationRef,
      nullable: true,
      description: 'The new operation; null for a dry run, or where nothing was applied.',
      resolve: async ({ operationId }, _args, context) =>
        operationId === null ? null : (await rules.findOperations(context, [operationId]))[0],
    }),
    applied: t.exposeInt('applied', { description: 'How many entities were changed, those of subtrees included.' }),
    conflicts: t.expose('conflicts', { type: [UndoConflict], description: 'What differs from what was before.' }),
  }),
});

builder.queryField('trash', (t) =>
  t.field({
    type: TrashConnection,
    description:
      "What was deleted in the caller's spaces and can be restored, the newest first: the top of each deletion.",
    args: pageArguments,
    resolve: (_root, args, context) => trash.listTrash(context, args),
  }),
);

builder.mutationFields((t) => ({
  undo: t.field({
    type: UndoPayload,
    description:
      'Undoes an operation of any member, as far as nobody has changed it since. It is an operation, which can be undone in turn.',
    args: {
      operationId: t.arg.id({
        required: true,
        description: "Id of the operation, or the idempotency key of the caller's mutation that it was.",
      }),
      dryRun: t.arg.boolean({ defaultValue: false, description: 'Says what it would do, and does nothing.' }),
    },
    resolve: (_root, { operationId, dryRun }, context) => rules.undo(context, operationId, dryRun ?? false),
  }),
  restore: t.field({
    type: UndoPayload,
    description: 'Restores entries of the trash, each with what was deleted with it.',
    args: { ids: t.arg.idList({ required: true, description: 'Ids of entries of the trash, at most 1,000.' }) },
    resolve: (_root, { ids }, context) => trash.restore(context, ids),
  }),
  emptyTrash: t.int({
    description: 'Deletes entries of the trash for good. Returns how many.',
    args: {
      ids: t.arg.idList({
        description:
          "Ids of entries, at most 1,000; absent: all of the caller's own space, and what the caller deleted in workspaces.",
      }),
    },
    resolve: (_root, { ids }, context) => trash.emptyTrash(context, ids),
  }),
}));
