import type { Entity, User } from './types.ts';

/** Values that a mutation chose when it was made. They keep its optimistic effect the same whatever else changes. */
export interface Hints {
  readonly sortKey?: string | null;
  /** Of a move, the new keys by id. Of a completion, the keys of the tasks behind the completed ones. */
  readonly sortKeys?: readonly (readonly [string, string])[];
  /** Default of a new series. */
  readonly timeZone?: string | undefined;
  readonly inboxId?: string | null;
  readonly user?: User | null;
  readonly reminder?: boolean;
  readonly createdById?: string | null;
  /** Entities by id as they are without the undone mutation. Null if there is none. */
  readonly before?: readonly (readonly [string, Entity | null])[];
}
