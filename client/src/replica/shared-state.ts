import { TaskgateError } from '../errors.ts';
import { backoff, pause } from '../retry.ts';
import { Turns } from '../turns.ts';
import { isOutboxRecord, type OutboxEntry, recordKeyOf } from './outbox.ts';
import type { ReplicaState } from './state.ts';
import type { Records, ReplicaStorage } from './storage.ts';
import type { TabMessage, Tabs } from './tabs.ts';

/** Milliseconds until a silent tab that began to store a mutation counts as closed. */
const storingMs = 2_000;

/** A state with its storage, which other tabs may share. */
export class SharedState {
  readonly state: ReplicaState;
  /** Whether this tab writes data of the service. */
  isLeader = false;
  readonly #storage: ReplicaStorage;
  readonly #tabs: Pick<Tabs, 'post'>;
  readonly #unsaved = new Set<string>();
  readonly #turns = new Turns();

  constructor(state: ReplicaState, storage: ReplicaStorage, tabs: Pick<Tabs, 'post'>) {
    this.state = state;
    this.#storage = storage;
    this.#tabs = tabs;
  }

  /** @throws STORAGE_FAILED */
  load(): Promise<void> {
    return this.#turns.take(() => this.#load());
  }

  async #load(): Promise<void> {
    const records = await this.#storage.load().catch(storageFailed);
    const unsaved = new Set([...this.#unsaved].map(recordKeyOf));
    if (!this.state.isNewerThan(records)) return this.state.reset(records, unsaved);
    // A lost storage has at most the additions of other tabs.
    this.state.apply(new Map([...records].filter(([key]) => isOutboxRecord(key))));
    if (!this.isLeader) return;
    const stale = [...records.keys()].map((key): [string, unknown] => [key, undefined]);
    const held = [...this.state.records()].filter(([key]) => !unsaved.has(key));
    await this.#storage.write(new Map([...stale, ...held])).catch(storageFailed);
  }

  /** A lost storage is opened and filled again once. @throws STORAGE_FAILED */
  async #write(records: Records): Promise<void> {
    try {
      await this.#storage.write(records);
    } catch {
      await this.#load();
      await this.#storage.write(records).catch(storageFailed);
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

  /** Writes, then shows: displayed data survives the process. @param change called after the last write */
  write(change: () => Records): Promise<void> {
    return this.#turns.take(async () => {
      const changes = change();
      if (changes.size === 0) return;
      const version = this.state.version + 1;
      const records = this.state.numbered(changes, version);
      await this.#write(records);
      this.state.apply(records);
      this.#tabs.post({ type: 'written', version, records });
    });
  }

  /** @throws STORAGE_FAILED */
  async add(entry: OutboxEntry): Promise<void> {
    const records = new Map([[recordKeyOf(entry.key), entry]]);
    this.#unsaved.add(entry.key);
    this.state.apply(records);
    this.#tabs.post({ type: 'storing', key: entry.key });
    try {
      await this.#turns.take(() => this.#write(records));
      this.#tabs.post({ type: 'stored', records });
    } finally {
      this.#unsaved.delete(entry.key);
    }
  }

  /** @throws STORAGE_FAILED */
  async drop(key: string): Promise<void> {
    const records = new Map([[recordKeyOf(key), undefined]]);
    this.state.apply(records);
    await this.#turns.take(() => this.#write(records));
    this.#tabs.post({ type: 'stored', records });
  }

  /** Ignores other mutations. */
  dismiss(key: string): Promise<void> {
    return this.#turns.take(async () => {
      if (this.state.outbox.get(key)?.state !== 'refused') return;
      const records = new Map([[recordKeyOf(key), undefined]]);
      await this.#write(records);
      this.state.apply(records);
      this.#tabs.post({ type: 'stored', records });
    });
  }

  isSaved(key: string): boolean {
    return !this.#unsaved.has(key);
  }

  /** In turn, because a load may be older. */
  receive(message: TabMessage): Promise<void> {
    return this.#turns.take(() => Promise.resolve(this.#takeOver(message)));
  }

  #takeOver(message: TabMessage): void {
    if (message.type === 'stored') {
      // The leader may have reported its outcome.
      const isNews = ([key, entry]: [string, unknown]) => entry === undefined || !this.state.outbox.has(key);
      this.state.apply(new Map([...message.records].filter(isNews)));
    } else if (message.type === 'storing') {
      const { key } = message;
      setTimeout(() => {
        if (!this.state.knows(key)) this.#reload();
      }, storingMs);
    } else if (message.type === 'written' && message.version === this.state.version + 1) {
      this.state.apply(new Map(message.records));
    } else if ('version' in message && message.version > this.state.version) this.#reload();
  }

  async close(): Promise<void> {
    await this.#turns.done();
    await this.#storage.close();
  }

  /** If this fails, the next message triggers it again. */
  #reload(): void {
    this.load().catch(() => undefined);
  }
}

const storageFailed = (cause: unknown): never => {
  throw new TaskgateError({ code: 'STORAGE_FAILED', message: 'The storage of the replica has failed' }, cause);
};
