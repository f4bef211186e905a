import { lists, selectionsOf } from './schema.ts';
import { remove, type Table } from './tables.ts';
import type { Entity, Task, User } from './types.ts';

/** An entity in a batch; tasks include their tags. */
type Row<E extends Entity> = Omit<E, '__typename' | 'tagIds'> &
  (E extends Task ? { readonly tags: readonly { readonly id: string }[] } : unknown);

type Lists = {
  readonly [Name in keyof typeof lists]: readonly Row<Extract<Entity, { __typename: (typeof lists)[Name] }>>[];
};

/** A batch of `sync` (docs/realtime.md, Replicas). */
export interface Batch extends Lists {
  readonly cursor: string;
  readonly full: boolean;
  readonly hasMore: boolean;
  readonly user: Omit<User, '__typename'> | null;
  readonly deleted: readonly { readonly id: string }[];
  /** The caller's idempotency keys whose effects it contains. */
  readonly mutations: readonly string[];
}

const fieldsOf = (isSession: boolean) => `{ cursor full hasMore deleted { id } mutations\n${selectionsOf(isSession)} }`;

export const syncQuery = (isSession: boolean) =>
  `query Sync($after: String, $first: Int) { sync(after: $after, first: $first) ${fieldsOf(isSession)} }`;
/** Subscription to live batches. */
export const syncSubscription = (isSession: boolean) =>
  `subscription SyncBatches($after: String) { sync(after: $after) ${fieldsOf(isSession)} }`;

/** Applies a batch: first the states, then the deletions. */
export function applyBatch(table: Table, batch: Batch): void {
  if (batch.full) for (const id of [...table.ids()]) table.delete(id);
  for (const entity of entitiesOf(batch)) table.set(entity);
  for (const { id } of batch.deleted) remove(table, id);
}

function* entitiesOf({ user, ...batch }: Batch): Iterable<Entity> {
  if (user) yield { __typename: 'User', ...user };
  for (const [name, typename] of Object.entries(lists)) {
    for (const row of batch[name as keyof Lists]) {
      const { tags, ...fields } = row as Row<Task>;
      const tagIds = (tags as typeof tags | undefined)?.map(({ id }) => id).sort();
      yield { __typename: typename, ...fields, ...(tagIds && { tagIds }) } as Entity;
    }
  }
}
