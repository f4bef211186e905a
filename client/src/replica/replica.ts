import type { Client } from '../client.ts';
import { TaskgateError } from '../errors.ts';
import type { Batch } from './batch.ts';
import { Connection } from './connection.ts';
import { newId } from './ids.ts';
import { type MutationName, type Mutations, mutations } from './mutations.ts';
import { type OutboxEntry, recordKeyOf } from './outbox.ts';
import type { Status } from './queries.ts';
import { Sender } from './sender.ts';
import { ReplicaState } from './state.ts';
import type { Records, ReplicaStorage } from './storage.ts';
import type { Query } from './view.ts';

/** What a replica is made of. */
export interface ReplicaOptions {
  /** By whose session it is kept up. */
  readonly client: Client;
  /** Where it outlives its page or process. */
  readonly storage: ReplicaStorage;
}

/** What has become of a mutation. */
export type Outcome =
  /** It has happened, and what the replica holds has it. */
  | { readonly status: 'confirmed' }
  /** It has not happened, and is not shown any more. */
  | { readonly status: 'refused'; readonly error: TaskgateError };

/** A mutation that was made here. */
export interface MutationHandle {
  /** Its idempotency key. */
  readonly key: string;
  /** Of what it creates. */
  readonly id: string | undefined;
  /** It never rejects. It is for as long as the page: after a restart, `refused` has what was refused. */
  readonly settled: Promise<Outcome>;
}

/**
 * A copy of all that the caller may see, kept up as it changes. Where `status` was `live` once, it shows one moment of the
 * account, and stays there while it is offline.
 */
export interface Replica {
  /** What a query gives now. A snapshot: it never changes, and the next one is the same object unless its content is another. */
  read<Result>(query: Query<Result>): Result;
  /**
   * Calls the listener whenever the query gives another result. Only queries that depend on what has changed are evaluated.
   * @returns what ends it
   */
  subscribe<Result>(query: Query<Result>, listener: (result: Result) => void): () => void;
  /**
   * Makes a mutation of the schema: it is shown at once, stored, sent in its turn for as long as that takes, and part of what is held
   * when a batch brings it. One that is refused is not shown any more; `refused` has it until it is dismissed.
   * @param variables of the mutation; what it creates is given an `id` where they have none
   */
  mutate<Name extends MutationName>(name: Name, variables: Mutations[Name]): MutationHandle;
  /** Forgets a mutation that was refused. */
  dismiss(key: string): Promise<void>;
  /** Tries at once to reach the service, where it waits to do so: after a sign-in. A browser's `online` event does the same. */
  reconnect(): void;
  /** Ends the connection, and waits until all is written. The client stays open. */
  close(): Promise<void>;
}

/**
 * Opens a replica: shows what the storage has, and follows the service.
 * @throws what the storage rejects with
 */
export async function createReplica({ client, storage }: ReplicaOptions): Promise<Replica> {
  const replica = new OpenReplica(client, storage, await storage.load());
  replica.start();
  return replica;
}

class OpenReplica implements Replica {
  readonly #storage: ReplicaStorage;
  readonly #state = new ReplicaState((entry, refused) => this.#settle(entry, refused));
  readonly #connection: Connection;
  readonly #sender: Sender;
  /** Of mutations that are pending. */
  readonly #settling = new Map<string, (outcome: Outcome) => void>();
  /** Keys of those that the storage does not have yet. */
  readonly #unsaved = new Set<string>();
  readonly #closing = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  /** The last commit, done or not. */
  #committing: Promise<unknown> = Promise.resolve();

  constructor(client: Client, storage: ReplicaStorage, records: Records) {
    this.#storage = storage;
    this.#state.apply(records);
    // An earlier process may have sent them.
    for (const { key } of this.#state.outbox.pending) this.#state.outbox.markTried(key);
    this.#connection = new Connection(client, {
      cursor: () => this.#state.cursor,
      take: (batches) => this.#take(batches),
      report: (status, problem) => this.#report(status, problem),
    });
    this.#sender = new Sender(client, {
      next: () => this.#nextToSend(),
      answered: (key) => this.#commit(() => this.#answered(key)),
      refused: (key, error) => this.#commit(() => this.#refused(key, error)),
    });
  }

  start(): void {
    const { signal } = this.#closing;
    this.#running = Promise.all([this.#connection.run(signal), this.#sender.run(signal)]);
    const wake = () => this.reconnect();
    const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>;
    addEventListener?.('online', wake);
    signal.addEventListener('abort', () => removeEventListener?.('online', wake));
  }

  read<Result>(query: Query<Result>): Result {
    return query.evaluate(this.#state.view);
  }

  subscribe<Result>(query: Query<Result>, listener: (result: Result) => void): () => void {
    return this.#state.view.watch(query, listener);
  }

  mutate<Name extends MutationName>(name: Name, given: Mutations[Name]): MutationHandle {
    const { document, prepare } = mutations[name];
    const { variables = given, hints = {} } = prepare?.(given, this.#state.view) ?? {};
    const key = newId('mut');
    const entry: OutboxEntry<Name> = {
      key,
      name,
      document,
      variables,
      hints,
      at: new Date().toISOString(),
      state: 'queued',
    };
    const settled = new Promise<Outcome>((resolve) => this.#settling.set(key, resolve));
    this.#unsaved.add(key);
    this.#state.apply(new Map([[recordKeyOf(key), entry]]));
    void this.#save(entry);
    return { key, id: idOf(variables), settled };
  }

  dismiss(key: string): Promise<void> {
    const isRefused = () => this.#state.outbox.get(key)?.state === 'refused';
    return this.#commit(() => new Map(isRefused() ? [[recordKeyOf(key), undefined]] : []));
  }

  reconnect(): void {
    this.#connection.wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await this.#committing;
    await this.#storage.close();
  }

  #take(batches: readonly Batch[]): Promise<void> {
    return this.#commit(() => this.#state.recordsOf(batches));
  }

  /** What is sent is stored: a process that ends meanwhile leaves it to the next one. */
  async #save(entry: OutboxEntry): Promise<void> {
    try {
      await this.#commit(() => new Map([[recordKeyOf(entry.key), entry]]));
      this.#unsaved.delete(entry.key);
      this.#sender.notify();
    } catch (error) {
      const failure = new TaskgateError({ code: 'STORAGE_FAILED', message: 'It could not be stored' }, error);
      this.#unsaved.delete(entry.key);
      this.#state.apply(this.#refused(entry.key, failure));
    }
  }

  /** The first that has no answer yet; none where it is still being stored. */
  #nextToSend(): OutboxEntry | undefined {
    const entry = this.#state.outbox.pending.find(({ state }) => state === 'queued');
    if (!entry || this.#unsaved.has(entry.key)) return undefined;
    this.#state.outbox.markTried(entry.key);
    return entry;
  }

  #answered(key: string): Records {
    const entry = this.#state.outbox.get(key);
    // A batch has brought it already.
    if (!entry) return new Map();
    return new Map([[recordKeyOf(key), entry.mayBeHeld ? undefined : { ...entry, state: 'answered' }]]);
  }

  #refused(key: string, error: TaskgateError): Records {
    const entry = this.#state.outbox.get(key);
    return new Map(entry && [[recordKeyOf(key), { ...entry, state: 'refused', error: error.toJSON() }]]);
  }

  #settle({ key }: OutboxEntry, refused: OutboxEntry | undefined): void {
    const outcome: Outcome = refused?.error
      ? { status: 'refused', error: new TaskgateError(refused.error) }
      : { status: 'confirmed' };
    this.#settling.get(key)?.(outcome);
    this.#settling.delete(key);
  }

  #report(status: Status, problem?: TaskgateError): void {
    if (status === 'live') this.#sender.open();
    else this.#sender.close();
    this.#state.view.setValue('status', status);
    this.#state.view.setValue('problem', problem);
  }

  /**
   * Writes a change, then shows it: what is shown of the service outlives the process. One at a time, and each is made of what the
   * last one left.
   */
  #commit(change: () => Records): Promise<void> {
    const committed = this.#committing.then(async () => {
      const records = change();
      if (records.size === 0) return;
      await this.#storage.write(records);
      this.#state.apply(records);
    });
    this.#committing = committed.catch(() => undefined);
    return committed;
  }
}

/** The id of what a mutation creates, or is about. */
const idOf = (variables: Mutations[MutationName]): string | undefined => {
  const { id, input } = variables as { readonly id?: string; readonly input?: { readonly id?: string } };
  return id ?? input?.id;
};
