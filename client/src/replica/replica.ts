import type { Client } from '../client.ts';
import { TaskgateError } from '../errors.ts';
import type { MutationName } from './mutations.ts';
import type { Mutations } from './types.ts';
import { OpenReplica } from './open-replica.ts';
import type { ReplicaStorage } from './storage.ts';
import type { Query } from './view.ts';

/** What a replica is made of. */
export interface ReplicaOptions {
  /** By whose session it is kept up. */
  readonly client: Client;
  /** Where it outlives its page or process. */
  readonly storage: ReplicaStorage;
  /**
   * Id of the account whose replica it is. Where the session is of another one the replica is offline with the problem
   * `UNAUTHENTICATED`, keeps what it holds and has to send, and sends nothing, until a session of this account is back. Without it the
   * replica becomes one of whatever account the session is of.
   */
  readonly account?: string | undefined;
}

/** What has become of a mutation. */
export type Outcome =
  /** It has happened, and what the replica holds has it. */
  | { readonly status: 'confirmed' }
  /** It has not happened, and is not shown any more. */
  | { readonly status: 'refused'; readonly error: TaskgateError }
  /** It was undone before it was sent: the service never sees it. */
  | { readonly status: 'dropped' };

/** A mutation that was made here. */
export interface MutationHandle {
  /** Its idempotency key. */
  readonly key: string;
  /** Id of what it creates. */
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
   * @param note stays with it in `pending` and `refused`, also after a restart: such as what the user typed
   */
  mutate<Name extends MutationName>(name: Name, variables: Mutations[Name], note?: string): MutationHandle;
  /**
   * Undoes the latest mutation that was made by this object and was not undone yet, again and again back to the first. One that was not
   * sent yet is dropped; any other is undone by the service, also while it is still on its way, as far as nobody has changed it since.
   * Mutations that the history does not undo (workspaces made, deleted or left, preferences) are passed over.
   * @returns what becomes of the undo; undefined where there is nothing to undo
   */
  undo(): MutationHandle | undefined;
  /** Forgets a mutation that was refused. */
  dismiss(key: string): Promise<void>;
  /** Tries at once to reach the service, where it waits to do so: after a sign-in. A browser's `online` event does the same. */
  reconnect(): void;
  /** Ends the connection, and waits until all is written. The client stays open. */
  close(): Promise<void>;
}

/**
 * Opens a replica: shows what the storage has, and follows the service, by itself or by the tab that leads.
 * @throws STORAGE_FAILED if the storage cannot be opened, or shared with other tabs, and has no fallback
 */
export async function createReplica(options: ReplicaOptions): Promise<Replica> {
  try {
    return await openReplica(options);
  } catch (error) {
    const { fallback } = options.storage;
    if (!fallback || !(error instanceof TaskgateError)) throw error;
    return openReplica({ ...options, storage: fallback }, error);
  }
}

async function openReplica(options: ReplicaOptions, problem?: TaskgateError): Promise<Replica> {
  const replica = new OpenReplica(options, problem);
  try {
    await replica.start();
    return replica;
  } catch (error) {
    await replica.close();
    throw error;
  }
}
