/** JSON values by key. Undefined deletes a key. */
export type Records = ReadonlyMap<string, unknown>;

/**
 * Keeps a replica beyond its page or process. It holds one account, whose data is replaced if the account changes. A method that rejects has
 * no effect.
 */
export interface ReplicaStorage {
  /** Opens the storage, also again after a loss, and returns all records. */
  load(): Promise<Records>;
  /**
   * Changes records atomically. Calls take effect in order, even if they are not awaited. Once a call has resolved, its changes survive a
   * crash. A lost storage rejects until `load` opens it again. The replica then writes the missing records again.
   */
  write(changes: Records): Promise<void>;
  /** Closes the storage after all writes. */
  close(): Promise<void>;
  /** Name of the storage. Tabs of the origin that use the same name share the storage and one connection. */
  readonly sharedAs?: string;
  /** Storage that is used if this one cannot be opened. `problem` then has the reason. */
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
