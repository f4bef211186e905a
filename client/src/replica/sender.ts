import type { Client } from '../client.ts';
import { isTransient, TaskgateError } from '../errors.ts';
import type { BatchOptions } from '../graphql.ts';
import { backoff, Condition } from '../retry.ts';
import { madeByAnother, type OutboxEntry } from './outbox.ts';

/** What a sender sends, for which account, and whom it notifies. What rejects is tried again. */
export interface SenderTarget {
  /** The first entries to send, up to a limit. */
  readonly next: (most: number) => readonly OutboxEntry[];
  /** Id of the account that the replica is of; undefined: it does not know yet. */
  readonly account: () => string | undefined;
  readonly settled: (outcomes: Outcomes) => Promise<void>;
  /** Called if the session does not belong to that account any more. Nothing was sent in the name of another one. */
  readonly onUnauthenticated: (error: TaskgateError) => void;
}

/** By their keys, the mutations that have happened (undefined), and why others never will. */
export type Outcomes = ReadonlyMap<string, TaskgateError | undefined>;

/** Mutations of one request. */
const maxEntries = 50;

/** Times that a mutation meets a fault of the service before it counts as refused: those behind it are not to wait for ever. */
const maxFaults = 5;

const isFault = (error: unknown) => error instanceof TaskgateError && error.code === 'INTERNAL';

/**
 * Whether the service will never take it. Its own faults are tried again for a while; a session that has ended comes back; and what is
 * no answer of the service says nothing.
 */
function isRefusal(error: unknown, faults: number): error is TaskgateError {
  if (!(error instanceof TaskgateError) || isTransient(error)) return false;
  if (isFault(error)) return faults >= maxFaults;
  return !['UNAUTHENTICATED', 'UNEXPECTED_RESPONSE', 'STORAGE_FAILED'].includes(error.code);
}

/**
 * Sends mutations in their order, several in a request, each until it is answered, under its idempotency key. It does so between `open`
 * and `close`: while the session was last known to belong to the replica's account. Each request names that account, as the session
 * may have become another one's since: the service refuses the request then, and nothing of it has happened.
 */
export class Sender {
  readonly #client: Client;
  readonly #target: SenderTarget;
  #isOpen = false;
  /** Of the mutation that met one last. */
  #faults = { key: '', count: 0 };
  readonly #added = new Condition();
  readonly #opened = new Condition();

  constructor(client: Client, target: SenderTarget) {
    this.#client = client;
    this.#target = target;
  }

  open(): void {
    this.#isOpen = true;
    this.#opened.notify();
    this.#added.notify();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** There may be something to send. */
  notify(): void {
    this.#added.notify();
  }

  /** Runs until the signal aborts. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // It may abort while something is waited for.
    const isOver = () => signal.aborted;
    let [failures, most] = [0, maxEntries];
    while (!isOver()) {
      const entries = this.#isOpen ? this.#target.next(most) : [];
      if (entries.length === 0) {
        await this.#added.wait(signal);
        continue;
      }
      try {
        await this.#send(entries, signal);
        [failures, most] = [0, maxEntries];
      } catch (error) {
        // Whichever of them the service does not take as they are together: it says so of it alone.
        const isOfRequest = entries.length > 1 && isRefusal(error, 0);
        most = isOfRequest ? 1 : maxEntries;
        if (isOfRequest) continue;
        failures += 1;
        if (error instanceof TaskgateError && error.code === 'UNAUTHENTICATED') this.#target.onUnauthenticated(error);
        const { retryAfter } = error as Partial<TaskgateError>;
        await this.#opened.wait(signal, backoff(failures, retryAfter));
      }
    }
  }

  /** @throws what another try may mend, of the first mutation that it may be mended for; what the request is refused with */
  async #send(entries: readonly OutboxEntry[], signal: AbortSignal): Promise<void> {
    const account = this.#target.account();
    const foreign = entries.filter((entry) => entry.account !== undefined && entry.account !== account);
    // Another tab may have stored them while it still showed the account that was before.
    if (foreign.length > 0) return this.#target.settled(new Map(foreign.map(({ key }) => [key, madeByAnother()])));
    const results = await this.#request(entries, { signal, maxAttempts: 1, account });
    const outcomes = new Map<string, TaskgateError | undefined>();
    let failure: Error | undefined;
    for (const [index, { key }] of entries.entries()) {
      const result = results[index];
      const error: unknown = result?.status === 'rejected' ? result.reason : undefined;
      if (error !== undefined && !this.#isRefused(key, error)) {
        failure = error as Error;
        break;
      }
      outcomes.set(key, error as TaskgateError | undefined);
    }
    if (outcomes.size > 0) await this.#target.settled(outcomes);
    if (failure) throw failure;
  }

  /** Counts the mutation's faults; that there is no network says nothing against it. */
  #isRefused(key: string, error: unknown): boolean {
    if (isFault(error)) this.#faults = { key, count: this.#faults.key === key ? this.#faults.count + 1 : 1 };
    return isRefusal(error, this.#faults.count);
  }

  async #request(entries: readonly OutboxEntry[], options: BatchOptions): Promise<PromiseSettledResult<unknown>[]> {
    const operations = entries.map(({ key: idempotencyKey, document, variables }) => ({
      document,
      variables,
      idempotencyKey,
    }));
    const [first, ...others] = operations;
    if (!first || others.length > 0) return this.#client.batch(operations, options);
    const { document, variables, idempotencyKey } = first;
    return Promise.allSettled([this.#client.graphql(document, variables, { ...options, idempotencyKey })]);
  }
}
