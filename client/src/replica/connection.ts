import type { Client } from '../client.ts';
import { TaskgateError } from '../errors.ts';
import { backoff, Condition } from '../retry.ts';
import { type Batch, syncQuery, syncSubscription } from './batch.ts';
import type { Status } from './queries.ts';

/** Maximum number of entities in a batch during catch-up. */
const batchSize = 1000;
/** How long a connection must last to reset the backoff. */
const stableMs = 10_000;

export interface ConnectionTarget {
  /** Account that requests name. Undefined for the account of the session. */
  readonly account: string | undefined;
  readonly cursor: () => string | undefined;
  /** Whether batches belong to the replica's account. Others are discarded. */
  readonly belongToAccount: (batches: readonly Batch[]) => boolean;
  /** Applies batches that end at a consistent moment. If it rejects, they are requested again. */
  readonly apply: (batches: readonly Batch[]) => Promise<void>;
  readonly report: (status: Status, problem?: TaskgateError) => void;
}

/** Keeps a replica up to date, and resumes after interruptions. Batches up to the next consistent moment are applied together. */
export class Connection {
  readonly #client: Client;
  readonly #target: ConnectionTarget;
  readonly #query: string;
  readonly #subscription: string;
  /** Received batches that do not yet end at a consistent moment. */
  #buffer: Batch[] = [];
  /** Whether the next batch begins a full load. */
  #isFullLoad = false;
  readonly #wakeUp = new Condition();
  #attempt = new AbortController();

  constructor(client: Client, target: ConnectionTarget) {
    this.#client = client;
    this.#target = target;
    this.#query = syncQuery(!client.hasToken);
    this.#subscription = syncSubscription(!client.hasToken);
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // A function, because the signal may abort during a wait.
    const isAborted = () => signal.aborted;
    for (let failures = 1; !isAborted(); failures += 1) {
      const startedAt = performance.now();
      this.#attempt = new AbortController();
      const combinedSignal = AbortSignal.any([signal, this.#attempt.signal]);
      let problem: TaskgateError | undefined;
      try {
        await this.#catchUp(combinedSignal);
        await this.#follow(combinedSignal);
      } catch (error) {
        if (isAborted()) return;
        problem = toError(error);
        if (problem.code === 'CURSOR_EXPIRED') this.#startOver();
      }
      this.#target.report('offline', problem);
      if (performance.now() - startedAt > stableMs) failures = 1;
      await this.#wakeUp.wait(signal, backoff(failures, problem?.retryAfter));
    }
  }

  wake(): void {
    this.#wakeUp.notify();
  }

  /** Ends the present attempt. A connection alone may notice a lost network or session too late. */
  interrupt(reason = new TaskgateError({ code: 'NETWORK_ERROR', message: 'There is no network' })): void {
    this.#attempt.abort(reason);
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    let hasMore = true;
    while (hasMore) {
      const variables = { after: this.#cursor(), first: batchSize };
      const { sync } = await this.#client.graphql<{ sync: Batch }>(this.#query, variables, {
        signal,
        maxAttempts: 1,
        account: this.#target.account,
      });
      await this.#receive(sync);
      if (sync.hasMore) this.#target.report('catching up');
      hasMore = sync.hasMore;
    }
    this.#target.report('live');
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { account } = this.#target;
    const variables = { after: this.#cursor() };
    const events = this.#client.subscribe<{ sync: Batch }>(this.#subscription, variables, { signal, account });
    for await (const { sync } of events) await this.#receive(sync);
  }

  #cursor(): string | null {
    return this.#buffer.at(-1)?.cursor ?? (this.#isFullLoad ? null : (this.#target.cursor() ?? null));
  }

  async #receive(batch: Batch): Promise<void> {
    this.#buffer.push(batch);
    if (!this.#target.belongToAccount(this.#buffer)) {
      this.#startOver();
      throw new TaskgateError({ code: 'UNAUTHENTICATED', message: 'The session belongs to another account' });
    }
    if (batch.hasMore) return;
    await this.#target.apply(this.#buffer);
    this.#buffer = [];
    this.#isFullLoad = false;
  }

  #startOver(): void {
    this.#buffer = [];
    this.#isFullLoad = true;
  }
}

const toError = (error: unknown): TaskgateError =>
  error instanceof TaskgateError
    ? error
    : new TaskgateError({ code: 'UNEXPECTED_RESPONSE', message: 'The received data could not be applied' }, error);
