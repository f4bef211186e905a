import type { Client } from '../client.ts';
import { isTransient, TaskgateError } from '../errors.ts';
import type { BatchOptions } from '../graphql.ts';
import { backoff, Condition } from '../retry.ts';
import { foreignMutationError, type OutboxEntry } from './outbox.ts';

/** The sender's access to the outbox and the account. */
export interface SenderTarget {
  readonly takeQueued: (limit: number) => readonly OutboxEntry[];
  /** Undefined if unknown. */
  readonly account: () => string | undefined;
  /** Records outcomes. If it rejects, the mutations are sent again. */
  readonly onSettled: (outcomes: Outcomes) => Promise<void>;
  /** Called if the session belongs to another account. Nothing was sent in its name. */
  readonly onUnauthenticated: (error: TaskgateError) => void;
}

/** Outcomes by key: undefined after success, else the reason of the refusal. */
export type Outcomes = ReadonlyMap<string, TaskgateError | undefined>;

/** Maximum number of mutations in a request. */
const maxEntries = 50;

/** Faults of the service after which a mutation counts as refused. Until then, it blocks later ones. */
const maxFaults = 5;

const isFault = (error: unknown) => error instanceof TaskgateError && error.code === 'INTERNAL';

/** Whether an error is a final refusal. Faults of the service are retried, a session may return, and network errors tell nothing. */
function isRefusal(error: unknown, faults: number): error is TaskgateError {
  if (!(error instanceof TaskgateError) || isTransient(error)) return false;
  if (isFault(error)) return faults >= maxFaults;
  return !['UNAUTHENTICATED', 'UNEXPECTED_RESPONSE', 'STORAGE_FAILED'].includes(error.code);
}

/**
 * Sends mutations in order until each has a response. It runs while the session belongs to the replica's account. Each request names that
 * account: if the session has changed, the service executes nothing.
 */
export class Sender {
  readonly #client: Client;
  readonly #target: SenderTarget;
  #isOpen = false;
  #faults = { key: '', count: 0 };
  readonly #entryAdded = new Condition();
  readonly #connectionOpened = new Condition();

  constructor(client: Client, target: SenderTarget) {
    this.#client = client;
    this.#target = target;
  }

  open(): void {
    this.#isOpen = true;
    this.#connectionOpened.notify();
    this.#entryAdded.notify();
  }

  close(): void {
    this.#isOpen = false;
  }

  notify(): void {
    this.#entryAdded.notify();
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // A function, because the signal may abort during a wait.
    const isAborted = () => signal.aborted;
    let [failures, limit] = [0, maxEntries];
    while (!isAborted()) {
      const entries = this.#isOpen ? this.#target.takeQueued(limit) : [];
      if (entries.length === 0) {
        await this.#entryAdded.wait(signal);
        continue;
      }
      try {
        await this.#send(entries, signal);
        [failures, limit] = [0, maxEntries];
      } catch (error) {
        // The service refuses the request as a whole, so each mutation is sent alone.
        const isRequestRefused = entries.length > 1 && isRefusal(error, 0);
        limit = isRequestRefused ? 1 : maxEntries;
        if (isRequestRefused) continue;
        failures += 1;
        if (error instanceof TaskgateError && error.code === 'UNAUTHENTICATED') this.#target.onUnauthenticated(error);
        const { retryAfter } = error as Partial<TaskgateError>;
        await this.#connectionOpened.wait(signal, backoff(failures, retryAfter));
      }
    }
  }

  /** @throws the first retryable error, or the error of the request */
  async #send(entries: readonly OutboxEntry[], signal: AbortSignal): Promise<void> {
    const account = this.#target.account();
    const foreignEntries = entries.filter((entry) => entry.account !== undefined && entry.account !== account);
    // Another tab may have stored them for the previous account.
    if (foreignEntries.length > 0)
      return this.#target.onSettled(new Map(foreignEntries.map(({ key }) => [key, foreignMutationError()])));
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
    if (outcomes.size > 0) await this.#target.onSettled(outcomes);
    if (failure) throw failure;
  }

  /** Counts faults of the service, but no network errors. */
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
