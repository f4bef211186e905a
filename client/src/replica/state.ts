import { applyBatch, type Batch } from './batch.ts';
import type { Entity } from './entities.ts';
import type { Records } from './storage.ts';
import { BaseTable, Overlay } from './tables.ts';
import { View } from './view.ts';

/** Keys of records that are no entities, whose keys are their ids. */
const cursorKey = 'cursor';

/**
 * What a replica holds, and what it shows. All that changes it is records, wherever they come from: a batch, the storage, or
 * another tab.
 */
export class ReplicaState {
  readonly view = new View();
  /** Where the replica stands; undefined: it has nothing yet. */
  cursor: string | undefined;
  /** As the service said last: one moment of the database. */
  readonly #held = new BaseTable();

  /** @returns the records that bring the state to what batches say, which end where `hasMore` is false */
  recordsOf(batches: readonly Batch[]): Map<string, unknown> {
    const next = new Overlay(this.#held);
    for (const batch of batches) applyBatch(next, batch);
    return new Map<string, unknown>([...next.changes, [cursorKey, batches.at(-1)?.cursor]]);
  }

  /** Takes records over, and shows what they change. */
  apply(records: Records): void {
    const touched: string[] = [];
    for (const [key, value] of records) {
      if (key === cursorKey) this.cursor = value as string | undefined;
      else {
        touched.push(key);
        if (value === undefined) this.#held.delete(key);
        else this.#held.set(value as Entity);
      }
    }
    this.view.update(touched, (id) => this.#held.get(id));
  }
}
