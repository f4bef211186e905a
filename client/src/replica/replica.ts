import type { Client } from '../client.ts';
import type { TaskgateError } from '../errors.ts';
import type { MutationName } from './mutations.ts';
import type { Mutations } from './mutation-types.ts';
import type { ReplicaStorage } from './storage.ts';
import type { Query } from './view.ts';

export interface ReplicaOptions {
  /** Client with the session. */
  readonly client: Client;
  /** Persistent storage. */
  readonly storage: ReplicaStorage;
  /**
   * Account of the replica. While the session belongs to another account, the replica is offline with the problem `UNAUTHENTICATED`. It
   * keeps its data and sends nothing. If absent, the replica takes the account of the session.
   */
  readonly account?: string | undefined;
}

/** The outcome of a mutation. */
export type Outcome =
  /** Executed, and contained in the replica. */
  | { readonly status: 'confirmed' }
  /** Not executed, and no longer displayed. */
  | { readonly status: 'refused'; readonly error: TaskgateError }
  /** Undone before it was sent. */
  | { readonly status: 'dropped' };

/** A local mutation. */
export interface MutationHandle {
  /** Its idempotency key. */
  readonly key: string;
  /** Id of the created entity. */
  readonly id: string | undefined;
  /** Key of the mutation that it undoes. */
  readonly undoneKey?: string;
  /** Never rejects. It does not outlive the page: after a restart, see `refused`. */
  readonly settled: Promise<Outcome>;
}

/** A live copy of the caller's data. After its first `live` status it always shows one moment of the account, also while offline. */
export interface Replica {
  /** Returns the current result of a query. It never changes, and the same result is the same object. */
  read<Result>(query: Query<Result>): Result;
  /** Calls a listener when the query's result changes. Only affected queries are evaluated. @returns function that stops */
  subscribe<Result>(query: Query<Result>, listener: (result: Result) => void): () => void;
  /**
   * Makes a mutation. It is displayed at once, stored, sent in order with retries, and confirmed by a batch. A refused mutation is hidden;
   * `refused` lists it until it is dismissed.
   * @param variables variables of the mutation; a created entity gets an `id` if they have none
   * @param note caller's data for `pending` and `refused`, also after a restart
   */
  mutate<Name extends MutationName>(name: Name, variables: Mutations[Name], note?: string): MutationHandle;
  /**
   * Undoes the latest mutation that this object made. Repeated calls go back to the first one. An unsent mutation is dropped. The service
   * undoes the others, except parts that were changed since. Mutations that the history cannot undo (creating, deleting or leaving
   * workspaces, preferences) are skipped.
   * @returns the outcome of the undo; undefined if there is nothing to undo
   */
  undo(): MutationHandle | undefined;
  /** Dismisses a refused mutation. */
  dismiss(key: string): Promise<void>;
  /** Retries the connection at once, as after a sign-in. A browser's `online` event does the same. */
  reconnect(): void;
  /** Ends the connection after all writes. The client stays open. */
  close(): Promise<void>;
}
