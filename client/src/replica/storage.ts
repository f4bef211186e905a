/** Values by their keys, all of them such as JSON has; undefined: the key is deleted. */
export type Records = ReadonlyMap<string, unknown>;

/**
 * Where a replica outlives its page or process. It belongs to one account: where another one signs in, the replica drops what it
 * held. Any method may reject, and nothing of that call has happened then.
 */
export interface ReplicaStorage {
  /** All records. Opens the storage, also after it was lost. */
  load(): Promise<Records>;
  /**
   * Changes records, all of them or none. Calls take effect in their order, also where they are not waited for; once one is
   * answered, its changes survive whatever happens to the process. A storage that was lost rejects until it is loaded again; then what it
   * lacks is written again.
   */
  write(changes: Records): Promise<void>;
  /** Waits for what is being written, and lets go of the storage. */
  close(): Promise<void>;
  /** The name under which other tabs of the same origin have the same storage; they share one connection to the service, then. */
  readonly sharedAs?: string;
  /** The storage to use where this one cannot be opened; `problem` reports it. */
  readonly fallback?: ReplicaStorage;
}

/** A storage that lasts as long as the object itself: for tests, and where nothing is to be kept. */
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

/** Brings records to what a change of them says. */
export function applyRecords(records: Map<string, unknown>, changes: Records): void {
  for (const [key, value] of changes) {
    if (value === undefined) records.delete(key);
    else records.set(key, value);
  }
}
