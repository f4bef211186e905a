import { TaskgateError } from '../errors.ts';
import { backoff, pause } from '../retry.ts';
import { SerialQueue } from '../serial-queue.ts';
import { isOutboxRecord, type OutboxEntry, recordKeyOf } from './outbox.ts';
import type { ReplicaState } from './state.ts';
import type { Records, ReplicaStorage } from './storage.ts';
import type { TabMessage, Tabs } from './tabs.ts';

/** If a tab that began to store a mutation is silent for this long, it counts as closed. */
const storeTimeoutMs = 2_000;

/** A state with its storage, which other tabs may share. */
export class SharedState {
  readonly state: ReplicaState;
  /** Whether this tab writes data of the service. */
  isLeader = false;
  readonly #storage: ReplicaStorage;
  readonly #tabs: Pick<Tabs, 'post'>;
  readonly #unsavedKeys = new Set<string>();
  readonly #queue = new SerialQueue();

  constructor(state: ReplicaState, storage: ReplicaStorage, tabs: Pick<Tabs, 'post'>) {
    this.state = state;
    this.#storage = storage;
    this.#tabs = tabs;
  }

  /** @throws STORAGE_FAILED */
  load(): Promise<void> {
    return this.#queue.run(() => this.#load());
  }

  async #load(): Promise<void> {
    const records = await this.#storage.load().catch(throwStorageFailed);
    const unsavedKeys = new Set([...this.#unsavedKeys].map(recordKeyOf));
    if (!this.state.isNewerThan(records)) return this.state.reset(records, unsavedKeys);
    // The storage was lost: at most, other tabs have added mutations since.
    this.state.apply(new Map([...records].filter(([key]) => isOutboxRecord(key))));
    if (!this.isLeader) return;
    const staleRecords = [...records.keys()].map((key): [string, unknown] => [key, undefined]);
    const currentRecords = [...this.state.records()].filter(([key]) => !unsavedKeys.has(key));
    await this.#storage.write(new Map([...staleRecords, ...currentRecords])).catch(throwStorageFailed);
  }

  /** Writes records. If the storage was lost, it is opened and filled again, once. @throws STORAGE_FAILED */
  async #write(records: Records): Promise<void> {
    try {
      await this.#storage.write(records);
    } catch {
      await this.#load();
      await this.#storage.write(records).catch(throwStorageFailed);
    }
  }

  /** Loads until the storage succeeds or the signal aborts. */
  async catchUp(signal: AbortSignal): Promise<void> {
    for (let failures = 1; !signal.aborted; failures += 1) {
      try {
        return await this.load();
      } catch {
        await pause(backoff(failures), signal).catch(() => undefined);
      }
    }
  }

  /** Writes records before it shows them, so shown data survives the process. @param change called after earlier writes */
  write(change: () => Records): Promise<void> {
    return this.#queue.run(async () => {
      const changes = change();
      if (changes.size === 0) return;
      const version = this.state.version + 1;
      const records = this.state.withVersion(changes, version);
      await this.#write(records);
      this.state.apply(records);
      this.#tabs.post({ type: 'written', version, records });
    });
  }

  /** Shows a mutation, then stores it. @throws STORAGE_FAILED */
  async add(entry: OutboxEntry): Promise<void> {
    const records = new Map([[recordKeyOf(entry.key), entry]]);
    this.#unsavedKeys.add(entry.key);
    this.state.apply(records);
    this.#tabs.post({ type: 'storing', key: entry.key });
    try {
      await this.#queue.run(() => this.#write(records));
      this.#tabs.post({ type: 'stored', records });
    } finally {
      this.#unsavedKeys.delete(entry.key);
    }
  }

  /** Removes a mutation that was not sent. @throws STORAGE_FAILED */
  async drop(key: string): Promise<void> {
    const records = new Map([[recordKeyOf(key), undefined]]);
    this.state.apply(records);
    await this.#queue.run(() => this.#write(records));
    this.#tabs.post({ type: 'stored', records });
  }

  /** Removes a refused mutation. Other mutations stay. */
  dismiss(key: string): Promise<void> {
    return this.#queue.run(async () => {
      if (this.state.outbox.get(key)?.state !== 'refused') return;
      const records = new Map([[recordKeyOf(key), undefined]]);
      await this.#write(records);
      this.state.apply(records);
      this.#tabs.post({ type: 'stored', records });
    });
  }

  isSaved(key: string): boolean {
    return !this.#unsavedKeys.has(key);
  }

  /** Applies a message of another tab. It waits for a load in progress, whose records may be older. */
  receive(message: TabMessage): Promise<void> {
    return this.#queue.run(() => Promise.resolve(this.#apply(message)));
  }

  #apply(message: TabMessage): void {
    if (message.type === 'stored') {
      // The leader may already have reported the outcome of a mutation.
      const isUnknown = ([key, entry]: [string, unknown]) => entry === undefined || !this.state.outbox.has(key);
      this.state.apply(new Map([...message.records].filter(isUnknown)));
    } else if (message.type === 'storing') {
      const { key } = message;
      setTimeout(() => {
        if (!this.state.hasSeen(key)) this.#reload();
      }, storeTimeoutMs);
    } else if (message.type === 'written' && message.version === this.state.version + 1) {
      this.state.apply(new Map(message.records));
    } else if ('version' in message && message.version > this.state.version) this.#reload();
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    await this.#storage.close();
  }

  /** Loads in the background. If this fails, the next message tries again. */
  #reload(): void {
    this.load().catch(() => undefined);
  }
}

const throwStorageFailed = (cause: unknown): never => {
  throw new TaskgateError({ code: 'STORAGE_FAILED', message: 'The storage of the replica has failed' }, cause);
};
