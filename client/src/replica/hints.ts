import type { Entity, User } from './types.ts';

/** Choices for the display, which other changes could otherwise alter. */
export interface Hints {
  readonly sortKey?: string | null;
  readonly sortKeys?: readonly (readonly [string, string])[];
  readonly inboxId?: string | null;
  readonly user?: User | null;
  readonly reminder?: boolean;
  /** By id, without an undone mutation. Null if absent. */
  readonly before?: readonly (readonly [string, Entity | null])[];
}
