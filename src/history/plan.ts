import type { SyncedType } from '../kernel/entities.ts';
import type { Values } from './images.ts';
import type { UndoChange } from './undo-policy.ts';

/** A part that an undo leaves as it is, with the reason. */
export interface Conflict {
  type: SyncedType;
  /** Null if the caller cannot see the entity. */
  id: string | null;
  field: string | null;
  reason: string;
  /** Another operation changed it: the reason gets the time of the last change. */
  isLater?: true;
}

/** The present state that an undo plans with, read under its locks. */
export interface Present {
  /** Rows by id: the changed entities, the entities that they refer to, and their subtasks. */
  rows: ReadonlyMap<string, Values>;
  types: ReadonlyMap<string, SyncedType>;
  spaceIds: readonly string[];
  /** The project, by space, for an entity whose project is gone. */
  fallback: ReadonlyMap<string, string>;
  /** Ids of created entities that another operation has edited or built upon. */
  builtUpon: ReadonlySet<string>;
  /** Ids of the caller's tags by name. */
  tagNames: ReadonlyMap<string, string>;
  /** Ids of the deleted entities that come back. */
  restorable: ReadonlySet<string>;
  /** Ids of the other deleted entities whose last deletion the caller sees. */
  deletedAgain: ReadonlySet<string>;
  /** Gives the reason if the caller may not make a change. */
  refuse: (change: UndoChange) => string | undefined;
}

/** The rows that an undo writes. */
export interface Plan {
  inserts: Map<string, Values>;
  updates: Map<string, Values>;
  deletes: Set<string>;
  types: Map<string, SyncedType>;
  conflicts: Conflict[];
}
