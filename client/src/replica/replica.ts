import type { Client } from '../client.ts';
import type { TaskgateError } from '../errors.ts';
import type { Batch } from './batch.ts';
import { Connection } from './connection.ts';
import type { Status } from './queries.ts';
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
  readonly #state = new ReplicaState();
  readonly #connection: Connection;
  readonly #closing = new AbortController();
  #running: Promise<unknown> = Promise.resolve();
  /** The last commit, done or not. */
  #committing: Promise<unknown> = Promise.resolve();

  constructor(client: Client, storage: ReplicaStorage, records: Records) {
    this.#storage = storage;
    this.#state.apply(records);
    this.#connection = new Connection(client, {
      cursor: () => this.#state.cursor,
      take: (batches) => this.#take(batches),
      report: (status, problem) => this.#report(status, problem),
    });
  }

  start(): void {
    this.#running = this.#connection.run(this.#closing.signal);
    const wake = () => this.reconnect();
    const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>;
    addEventListener?.('online', wake);
    this.#closing.signal.addEventListener('abort', () => removeEventListener?.('online', wake));
  }

  read<Result>(query: Query<Result>): Result {
    return query.evaluate(this.#state.view);
  }

  subscribe<Result>(query: Query<Result>, listener: (result: Result) => void): () => void {
    return this.#state.view.watch(query, listener);
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

  #report(status: Status, problem?: TaskgateError): void {
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
      await this.#storage.write(records);
      this.#state.apply(records);
    });
    this.#committing = committed.catch(() => undefined);
    return committed;
  }
}
