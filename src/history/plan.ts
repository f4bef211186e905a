import type { SyncedType } from '../platform/entities.ts';
import type { Values } from './diffs.ts';
import type { UndoChange } from './undo-policy.ts';

/** A part that an undo leaves unchanged. */
export interface Conflict {
  type: SyncedType;
  /** Null if the caller cannot see the entity. */
  id: string | null;
  field: string | null;
  reason: string;
  /** Whether the cause is a later operation. The time of the last change is then added to the reason. */
  isLater?: true;
}

/** Present state, read under the locks of an undo. */
export interface Present {
  /** Rows of the changed entities, the entities that they refer to, and their subtasks. */
  rows: ReadonlyMap<string, Values>;
  types: ReadonlyMap<string, SyncedType>;
  spaceIds: readonly string[];
  /** Project of each space for entities whose project is gone. */
  fallback: ReadonlyMap<string, string>;
  /** Created entities that another operation has edited or built upon. */
  builtUpon: ReadonlySet<string>;
  /** Ids of the caller's tags by name. */
  tagNames: ReadonlyMap<string, string>;
  /** Deleted entities that may be restored. */
  restorable: Pick<ReadonlySet<string>, 'has'>;
  /** Other deleted entities whose last deletion the caller sees. */
  deletedAgain: ReadonlySet<string>;
  /** Returns why the caller may not make a change. */
  refuse: (change: UndoChange) => string | undefined;
}

export interface Plan {
  inserts: Map<string, Values>;
  updates: Map<string, Values>;
  deletes: Set<string>;
  types: Map<string, SyncedType>;
  conflicts: Conflict[];
}

/** Lets a restored entity stay deleted. The conflict is about the whole entity. @returns whether it was restored */
export function leaveDeleted({ inserts, types, conflicts }: Plan, id: string, reason: string): boolean {
  if (!inserts.delete(id)) return false;
  conflicts.push({ type: types.get(id) ?? 'TASK', id, field: null, reason });
  return true;
}
