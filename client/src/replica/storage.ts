/** JSON values by key. Undefined deletes a key. */
export type Records = ReadonlyMap<string, unknown>;

/**
 * Keeps a replica beyond its page or process, for one account; another account's data replaces it. Each method may reject, and then has no
 * effect.
 */
export interface ReplicaStorage {
  /** Returns all records, and opens the storage, also after a loss. */
  load(): Promise<Records>;
  /**
   * Changes records atomically. Calls take effect in order, even if not awaited. Once resolved, changes survive a crash. A lost storage
   * rejects until it is loaded again; missing records are then written again.
   */
  write(changes: Records): Promise<void>;
  /** Closes the storage after all writes. */
  close(): Promise<void>;
  /** Name shared by tabs of the origin with the same storage, and one connection. */
  readonly sharedAs?: string;
  /** Storage for the case that this one cannot be opened. `problem` reports it. */
  readonly fallback?: ReplicaStorage;
}

/** A storage in memory. */
export function memoryStorage(): ReplicaStorage {
  const records = new Map<string, unknown>();
  return {
    load: () => Promise.resolve(new Map(records)),
    write(changes) {
      applyRecords(records, changes);
      return Promise.resolve();
    },
    close: () => Promise.resolve(),
  };
}

export function applyRecords(records: Map<string, unknown>, changes: Records): void {
  for (const [key, value] of changes) {
    if (value === undefined) records.delete(key);
    else records.set(key, value);
  }
}
