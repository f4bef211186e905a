import { getRefFromModel } from '@pothos/plugin-prisma';
import { builder } from '../graphql/builder.ts';
import { EntityType } from '../graphql/shared-types.ts';
import { entities, syncedKinds } from '../platform/entities.ts';
import { workspaceLimits } from '../workspaces/policy.ts';
import * as rules from './rules.ts';
import { subscribeToSync } from './subscription.ts';
import type { Tombstone } from './batch.ts';

const TombstoneRef = builder.objectRef<Tombstone>('Tombstone').implement({
  description:
    'An entity that was deleted, or that the caller can no longer see. Its contents go with it: the projects of a workspace, the sections and tasks of a project, the subtasks and comments of a task.',
  fields: (t) => ({
    type: t.expose('kind', { type: EntityType, description: 'Kind of the entity.' }),
    id: t.exposeID('id', { description: 'Id of the entity.' }),
  }),
});

const SyncBatch = builder.objectRef<rules.Batch>('SyncBatch').implement({
  description:
    "A step that brings a replica of the caller's data to a later moment. To apply it, discard all data if it is `full`, replace each entity by its id, remove the `deleted` entities, and keep the `cursor`.",
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'Position of a replica after it applies the batch. Opaque, and the same for every transport.',
    }),
    full: t.exposeBoolean('full', {
      description: 'Whether to discard all data first, because a first load begins.',
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'Whether more batches are ready after `cursor`. A replica shows one moment if this is false.',
    }),
    user: t.field({
      type: getRefFromModel('User', builder),
      nullable: true,
      description: 'The caller. Null unless they or their preferences changed, or a first load begins.',
      resolve: ({ user }) => user as never,
    }),
    ...Object.fromEntries(
      syncedKinds.map((kind) => {
        const { model, sync } = entities[kind];
        const ref = getRefFromModel(model as 'Task', builder);
        const resolve = (batch: rules.Batch) => batch.entities[kind] as never;
        return [
          sync.list,
          t.field({
            type: [ref],
            extensions: { listSize: 10, ...(kind === 'Workspace' && { maxEntries: workspaceLimits.workspaces }) },
            description: sync.listDescription,
            resolve,
          }),
        ];
      }),
    ),
    deleted: t.expose('deleted', {
      type: [TombstoneRef],
      extensions: { listSize: 10 },
      description: 'Entities that were deleted, or that the caller can no longer see.',
    }),
    mutations: t.exposeIDList('mutations', {
      extensions: { listSize: 10 },
      description:
        "Idempotency keys of the caller's mutations, from any of their clients, whose effects this batch contains. Each key is sent once, and none in a first load.",
    }),
  }),
});

const afterDescription =
  'Cursor of the last batch that the replica applied. If the log no longer goes back to it, the error is `CURSOR_EXPIRED`: start over without a cursor.';

builder.queryField('sync', (t) =>
  t.field({
    type: SyncBatch,
    // A batch may have a single kind.
    extensions: { maxPageSize: 5_000 },
    description: 'The next batch after a cursor. Without a cursor, the first batch of a first load.',
    args: {
      after: t.arg.string({ description: afterDescription }),
      first: t.arg.int({ defaultValue: 500, description: 'Maximum number of entities, 1 to 5,000.' }),
    },
    resolve: (_root, { after, first }, context, info) => rules.sync(context, info, after, first ?? 500),
  }),
);

builder.subscriptionField('sync', (t) =>
  t.field({
    type: SyncBatch,
    description:
      'The content of a replica. First the changes since a cursor, or a first load, in batches of at most 500 entities; then live changes, in batches of whole transactions.',
    args: { after: t.arg.string({ description: afterDescription }) },
    subscribe: (_root, { after }, context, info) => subscribeToSync(context, info, after),
    resolve: (batch) => batch,
  }),
);
