import { getRefFromModel } from '@pothos/plugin-prisma';
import { builder } from '../graphql/builder.ts';
import { EntityType } from '../graphql/shared-types.ts';
import { entities, syncedKinds } from '../kernel/entities.ts';
import * as rules from './rules.ts';
import { subscribeToSync } from './subscription.ts';
import type { Tombstone } from './batch.ts';

const TombstoneRef = builder.objectRef<Tombstone>('Tombstone').implement({
  description:
    'Something that is gone, or out of sight, with all that belongs to it: a workspace with its projects, a project with its sections and tasks, a task with its subtasks.',
  fields: (t) => ({
    type: t.expose('kind', { type: EntityType, description: 'What it was.' }),
    id: t.exposeID('id', { description: 'Its id.' }),
  }),
});

// The rows are what the fields select: `rules` reads them so.
const SyncBatch = builder.objectRef<rules.Batch>('SyncBatch').implement({
  description:
    'What brings a replica of all that the caller may see from one moment on to another. To apply it: drop everything where it is `full`; put each entity in by its id, replacing it whole; take what is `deleted` out; keep the `cursor`.',
  fields: (t) => ({
    cursor: t.exposeString('cursor', {
      description: 'What a replica has reached once it has applied the batch; opaque, the same over every transport.',
    }),
    full: t.exposeBoolean('full', {
      description: 'Whether all that is held is to be dropped first: a first load begins.',
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'Whether more lies ready behind `cursor`. A replica shows one moment where this is false.',
    }),
    user: t.field({
      type: getRefFromModel('User', builder),
      nullable: true,
      description: 'The caller, when they or their preferences changed, and in a first load.',
      resolve: ({ user }) => user as never,
    }),
    ...Object.fromEntries(
      syncedKinds.map((kind) => {
        const { model, sync } = entities[kind];
        const ref = getRefFromModel(model as 'Task', builder);
        const resolve = (batch: rules.Batch) => batch.entities[kind] as never;
        return [sync.list, t.field({ type: [ref], description: sync.listDescription, resolve })];
      }),
    ),
    deleted: t.expose('deleted', {
      type: [TombstoneRef],
      description: 'What is gone, or out of the sight of the caller.',
    }),
    mutations: t.exposeIDList('mutations', {
      description:
        "The caller's own idempotency keys of mutations, from any of their clients, whose effect this batch brings a replica to; each once, and none in a first load.",
    }),
  }),
});

const afterDescription =
  'Cursor of the last batch that the replica applied. `CURSOR_EXPIRED` where the log does not go back to it: start over without one.';

builder.queryField('sync', (t) =>
  t.field({
    type: SyncBatch,
    description: 'The next batch for a replica at a cursor; without one, the first of a first load.',
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
      'All that a replica is to hold: first what it lacks since a cursor, or a first load, in batches of at most 500 entities; then what changes, as it changes, in batches of whole transactions.',
    args: { after: t.arg.string({ description: afterDescription }) },
    subscribe: (_root, { after }, context, info) => subscribeToSync(context, info, after),
    resolve: (batch) => batch,
  }),
);
