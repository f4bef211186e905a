import { type ErrorDetails, TaskgateError } from '../errors.ts';
import { Connection } from './connection.ts';
import { newId } from './ids.ts';
import type { Hints } from './hints.ts';
import { isUndoable, type MutationName, mutations } from './mutations.ts';
import { documents } from './schema.ts';
import type { Mutations } from './mutation-types.ts';
import { idOf, type OutboxEntry, recordKeyOf } from './outbox.ts';
import { problem, type Status, status } from './queries.ts';
import type { MutationHandle, Outcome, Replica, ReplicaOptions } from './replica.ts';
import { type Outcomes, Sender } from './sender.ts';
import { SharedState } from './shared-state.ts';
import { ReplicaState } from './state.ts';
import type { Records } from './storage.ts';
import { joinTabs, type TabMessage, type Tabs } from './tabs.ts';
import type { Query } from './view.ts';

const maxUndoable = 1000;

/** Connects the state with storage and tabs, and in the leading tab with the connection and the sender. */
export class OpenReplica implements Replica {
  readonly #state = new ReplicaState((entry, refused) => this.#onSettled(entry, refused));
  readonly #tabs: Tabs;
  readonly #shared: SharedState;
  readonly #connection: Connection;
  readonly #sender: Sender;
  readonly #resolvers = new Map<string, (outcome: Outcome) => void>();
  /** Undoable mutations, oldest first. */
  #undoable: { readonly key: string; readonly name: MutationName }[] = [];
  readonly #closing = new AbortController();
  /** Account that `ReplicaOptions` fixes. */
  readonly #ownAccount: string | undefined;
  /** Reason for the fallback storage. */
  readonly #storageProblem: ErrorDetails | undefined;
  #leading: Promise<void> = Promise.resolve();
  /** Whether this tab sends mutations. Only then does it know which ones were not sent. */
  #isSending = false;

  constructor({ client, storage, account }: ReplicaOptions, storageProblem?: ErrorDetails) {
    this.#storageProblem = storageProblem;
    this.#ownAccount = account;
    this.#tabs = joinTabs(storage.sharedAs, (message) => this.#receive(message));
    const shared = (this.#shared = new SharedState(this.#state, storage, this.#tabs));
    this.#connection = new Connection(client, {
      account,
      cursor: () => this.#state.cursor,
      belongToAccount: (batches) => account === undefined || this.#state.accountOf(batches) === account,
      apply: (batches) => shared.write(() => this.#state.recordsOf(batches)),
      report: (connectionStatus, reason) => this.#onStatus(connectionStatus, reason),
    });
    this.#sender = new Sender(client, {
      takeQueued: (limit) => this.#state.outbox.takeQueued(limit, (key) => shared.isSaved(key)),
      account: () => this.#account,
      onUnauthenticated: (error) => this.#connection.interrupt(error),
      onSettled: (outcomes) => shared.write(() => this.#settledRecords(outcomes)),
    });
  }

  /** @throws STORAGE_FAILED */
  async start(): Promise<void> {
    const { signal } = this.#closing;
    await this.#shared.load();
    this.#setStatus('offline');
    this.#tabs.post({ type: 'hello' });
    this.#leading = this.#tabs.lead(() => this.#lead(signal), signal);
    const wake = () => this.reconnect();
    const interrupt = () => this.#connection.interrupt();
    const { addEventListener, removeEventListener } = globalThis as Partial<typeof globalThis>;
    addEventListener?.('online', wake);
    addEventListener?.('offline', interrupt);
    signal.addEventListener('abort', () => {
      removeEventListener?.('online', wake);
      removeEventListener?.('offline', interrupt);
    });
  }

  read<Result>(query: Query<Result>): Result {
    return query.evaluate(this.#state.view);
  }

  subscribe<Result>(query: Query<Result>, listener: (result: Result) => void): () => void {
    return this.#state.view.watch(query, listener);
  }

  mutate<Name extends MutationName>(name: Name, input: Mutations[Name], note?: string): MutationHandle {
    const handle = this.#enqueue(name, input, {}, note);
    this.#undoable.push({ key: handle.key, name });
    if (this.#undoable.length > maxUndoable) this.#undoable.shift();
    return handle;
  }

  undo(): MutationHandle | undefined {
    for (let latest = this.#undoable.pop(); latest; latest = this.#undoable.pop()) {
      const { key, name } = latest;
      if (this.#isSending && this.#state.outbox.isUnsent(key)) return this.#drop(key);
      if (isUndoable(name)) {
        const handle = this.#enqueue('undo', { operationId: key }, { before: this.#state.before(key) });
        return { ...handle, undoneKey: key };
      }
    }
    return undefined;
  }

  /** Undefined before the first load. */
  get #account(): string | undefined {
    return this.#ownAccount ?? this.#state.account;
  }

  #enqueue<Name extends MutationName>(
    name: Name,
    input: Mutations[Name],
    initialHints: Hints,
    note?: string,
  ): MutationHandle {
    const { prepare } = mutations[name];
    // A copy, because the caller may change its objects.
    const copy = structuredClone(input);
    const { variables = copy, hints = initialHints } = prepare?.(copy, this.#state.view) ?? {};
    const key = newId('mut');
    const at = new Date().toISOString();
    const settled = new Promise<Outcome>((resolve) => this.#resolvers.set(key, resolve));
    const account = this.#account;
    const document = documents[name];
    void this.#add({ key, name, account, document, variables, hints, at, state: 'queued', note });
    return { key, id: idOf(variables), settled };
  }

  dismiss(key: string): Promise<void> {
    return this.#shared.dismiss(key);
  }

  reconnect(): void {
    this.#tabs.post({ type: 'reconnect' });
    this.#connection.wake();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#leading;
    await this.#shared.close();
    this.#tabs.close();
  }

  /** Runs connection and sender for all tabs until the signal aborts. */
  async #lead(signal: AbortSignal): Promise<void> {
    this.#shared.isLeader = true;
    // Other tabs may have written, or sent mutations.
    if (this.#tabs.areShared) await this.#shared.catchUp(signal);
    for (const { key } of this.#state.outbox.pending) this.#state.outbox.markAttempted(key);
    this.#isSending = true;
    await Promise.all([this.#connection.run(signal), this.#sender.run(signal)]);
    this.#setStatus('offline');
    this.#postStatus();
    this.#shared.isLeader = this.#isSending = false;
  }

  async #add(entry: OutboxEntry): Promise<void> {
    try {
      await this.#shared.add(entry);
      this.#sender.notify();
    } catch (error) {
      this.#state.apply(this.#refusedRecords(entry.key, error as TaskgateError));
    }
  }

  #drop(key: string): MutationHandle {
    this.#resolve(key, { status: 'dropped' });
    const settled = this.#shared.drop(key).then(
      (): Outcome => ({ status: 'confirmed' }),
      (error: TaskgateError): Outcome => ({ status: 'refused', error }),
    );
    return { key, id: undefined, undoneKey: key, settled };
  }

  /** Returns the records that outcomes change. An undefined outcome is a success. */
  #settledRecords(outcomes: Outcomes): Records {
    const records = [...outcomes].map(([key, error]) =>
      error ? this.#refusedRecords(key, error) : this.#answeredRecords(key),
    );
    return new Map(records.flatMap((each) => [...each]));
  }

  #answeredRecords(key: string): Records {
    const entry = this.#state.outbox.get(key);
    // A batch has already confirmed it.
    if (!entry) return new Map();
    return new Map([[recordKeyOf(key), entry.mayBeHeld ? undefined : { ...entry, state: 'answered' }]]);
  }

  #refusedRecords(key: string, error: TaskgateError): Records {
    const entry = this.#state.outbox.get(key);
    // Another device has deleted the entity.
    const isGone = error.code === 'NOT_FOUND' && entry?.name.startsWith('delete');
    return new Map(
      entry && [[recordKeyOf(key), isGone ? undefined : { ...entry, state: 'refused', error: error.toJSON() }]],
    );
  }

  #onSettled({ key }: OutboxEntry, refused: OutboxEntry | undefined): void {
    if (!refused?.error) return this.#resolve(key, { status: 'confirmed' });
    this.#undoable = this.#undoable.filter((each) => each.key !== key);
    this.#resolve(key, { status: 'refused', error: new TaskgateError(refused.error) });
  }

  #resolve(key: string, outcome: Outcome): void {
    this.#resolvers.get(key)?.(outcome);
    this.#resolvers.delete(key);
  }

  #onStatus(connectionStatus: Status, reason?: TaskgateError): void {
    if (connectionStatus === 'live') this.#sender.open();
    else this.#sender.close();
    this.#setStatus(connectionStatus, reason);
    this.#postStatus();
  }

  #setStatus(connectionStatus: Status, reason = this.#storageProblem): void {
    this.#state.view.setValue('status', connectionStatus);
    this.#state.view.setValue('problem', reason && new TaskgateError(reason));
  }

  #postStatus(): void {
    const { version } = this.#state;
    this.#tabs.post({ type: 'status', version, status: this.read(status), problem: this.read(problem)?.toJSON() });
  }

  #receive(message: TabMessage): void {
    if (message.type === 'hello') {
      if (this.#shared.isLeader) this.#postStatus();
    } else if (message.type === 'reconnect') this.#connection.wake();
    else {
      if (message.type === 'status') this.#setStatus(message.status, message.problem);
      if (message.type === 'storing' && !this.#shared.isLeader) return;
      void this.#shared.receive(message).then(() => this.#sender.notify());
    }
  }
}
