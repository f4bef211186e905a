import type { ResultOf, TadaDocumentNode } from 'gql.tada';
import { Kind } from 'graphql';
import { z } from 'zod';
import { entities, type SyncedKind, syncedKinds } from '../../src/platform/entities.ts';
import { graphql } from '../graphql.ts';
import { lower } from '../entity.ts';
import { queryNumber } from '../json-schema.ts';
import { events, type RestCaller, route } from '../route.ts';
import { user } from '../v1/responses.ts';
import * as responses from './responses.ts';
import { kinds } from './kinds.ts';

type ShownOf<Kind extends SyncedKind> = (typeof kinds)[Kind]['shown'];

type Lists<Key extends 'fragment' | 'shown'> = {
  [Kind in SyncedKind as (typeof entities)[Kind]['sync']['list']]: (Key extends 'shown'
    ? ReturnType<ShownOf<Kind>['show']>
    : ResultOf<ShownOf<Kind>['fragment']>)[];
};

const listResponses = Object.fromEntries(
  syncedKinds.map((kind) => [entities[kind].sync.list, z.array(kinds[kind].shown.response)]),
) as { [Kind in SyncedKind as (typeof entities)[Kind]['sync']['list']]: z.ZodArray<ShownOf<Kind>['response']> };

const syncBatch = z
  .object({
    cursor: responses.cursor,
    full: z.boolean().describe('Whether to discard the replica first.'),
    hasMore: z.boolean().describe('Whether more data is available after `cursor`.'),
    user: user.response.nullable().describe('Set if the account has changed, and in the first load.'),
    ...listResponses,
    deleted: z
      .array(z.object({ type: z.enum(['user', ...responses.entityTypes]), id: z.string() }))
      .describe('Entities that were deleted or are no longer visible.'),
    mutations: z
      .array(z.string())
      .describe("The caller's idempotency keys whose effects are included up to this batch."),
  })
  .meta({ id: 'SyncBatch', description: 'Changes for a replica. Each state replaces the whole entity.' });

const fragments = syncedKinds.map((kind) => kinds[kind].shown.fragment);
const selections = syncedKinds.map((kind) => {
  const [fragment] = kinds[kind].shown.fragment.definitions;
  const name = fragment?.kind === Kind.FRAGMENT_DEFINITION ? fragment.name.value : '';
  return `${entities[kind].sync.list} { ...${name} }`;
});

const CommonFields = graphql(
  'fragment CommonFields on SyncBatch { cursor full hasMore user { ...UserFields } deleted { type id } mutations }',
  [user.fragment],
);

type BatchData = ResultOf<typeof CommonFields> & Lists<'fragment'>;

const BatchFields = graphql(`fragment BatchFields on SyncBatch { ...CommonFields ${selections.join(' ')} }`, [
  CommonFields,
  ...fragments,
] as never) as unknown as TadaDocumentNode<
  BatchData,
  Record<string, never>,
  { fragment: 'BatchFields'; on: 'SyncBatch'; masked: false }
>;

const SyncStream = graphql('subscription SyncEvents($after: String) { sync(after: $after) { ...BatchFields } }', [
  BatchFields,
]);

/** Tasks have no subtasks here, tags no count. */
function toBatch({ cursor, full, hasMore, user, deleted, mutations, ...batch }: BatchData, caller: RestCaller) {
  const lists = syncedKinds.map((kind) => {
    const { list } = entities[kind].sync;
    const show = kinds[kind].shown.show as (data: object, caller: RestCaller) => object;
    return [list, (batch[list] as object[]).map((data) => show(data, caller))];
  });
  return {
    cursor,
    full,
    hasMore,
    user,
    ...(Object.fromEntries(lists) as Lists<'shown'>),
    deleted: deleted.map(({ type, id }) => ({ type: lower(type), id })),
    mutations,
  };
}

const after = z.string().describe('Cursor of the last applied batch. Without it, a first load begins.');
const limit = queryNumber({ minimum: 1, maximum: 5000, default: 500, description: 'Maximum number of entities.' });

/** Contract decisions, realtime. */
export const sync = [
  route({
    method: 'get',
    path: '/api/v2/sync',
    summary: "Updates a replica of the caller's data from a cursor, or loads it",
    description:
      'Start without a cursor, apply the batch, and continue from its cursor until `hasMore` is false. With `Accept: text/event-stream`, later batches follow as changes happen.',
    input: z.object({ query: z.object({ after: after.optional(), limit: limit.optional() }) }),
    names: { first: 'limit' },
    events: events({
      event: 'batch',
      data: syncBatch,
      description: 'First the missing data, then changes as they happen. The id of each event is its cursor.',
      document: SyncStream,
      toEvent: ({ sync }, caller) => ({ id: sync.cursor, data: toBatch(sync, caller) }),
    }),
    document: graphql(
      'query Sync($after: String, $first: Int) { sync(after: $after, first: $first) { ...BatchFields } }',
      [BatchFields],
    ),
    variables: ({ query }) => ({ after: query.after ?? null, first: query.limit ?? 500 }),
    errors: ['CURSOR_EXPIRED'],
    response: syncBatch,
    reply: (data, caller) => toBatch(data.sync, caller),
  }),
];
