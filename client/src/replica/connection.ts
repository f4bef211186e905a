import type { Client } from '../client.ts';
import { TaskgateError } from '../errors.ts';
import { backoff, Condition } from '../retry.ts';
import { type Batch, syncQuery, syncSubscription } from './batch.ts';
import type { Status } from './queries.ts';

/** Limit of a batch during catch-up. */
const batchSize = 1000;
/** How long a connection must last to reset the backoff. */
const steadyMs = 10_000;

export interface ConnectionTarget {
  /** If undefined, the account of the session. */
  readonly account: string | undefined;
  readonly cursor: () => string | undefined;
  /** Otherwise received data is discarded. */
  readonly isOfAccount: (batches: readonly Batch[]) => boolean;
  /** Applies batches that end at a consistent moment. If it rejects, they were not received. */
  readonly take: (batches: readonly Batch[]) => Promise<void>;
  readonly report: (status: Status, problem?: TaskgateError) => void;
}

/** Keeps a replica up to date, and resumes after interruptions. Batches up to the next consistent moment are applied together. */
export class Connection {
  readonly #client: Client;
  readonly #target: ConnectionTarget;
  readonly #query: string;
  readonly #subscription: string;
  /** Batches before a consistent moment. */
  #received: Batch[] = [];
  /** A full load begins. */
  #startsOver = false;
  readonly #awakening = new Condition();
  #attempt = new AbortController();

  constructor(client: Client, target: ConnectionTarget) {
    this.#client = client;
    this.#target = target;
    this.#query = syncQuery(!client.hasToken);
    this.#subscription = syncSubscription(!client.hasToken);
  }

  /** Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // It may abort during a wait.
    const isOver = () => signal.aborted;
    for (let failures = 1; !isOver(); failures += 1) {
      const begunAt = performance.now();
      this.#attempt = new AbortController();
      const either = AbortSignal.any([signal, this.#attempt.signal]);
      let problem: TaskgateError | undefined;
      try {
        await this.#catchUp(either);
        await this.#follow(either);
      } catch (error) {
        if (isOver()) return;
        problem = toError(error);
        if (problem.code === 'CURSOR_EXPIRED') this.#beginAnew();
      }
      this.#target.report('offline', problem);
      if (performance.now() - begunAt > steadyMs) failures = 1;
      await this.#awakening.wait(signal, backoff(failures, problem?.retryAfter));
    }
  }

  wake(): void {
    this.#awakening.notify();
  }

  /** Connections may notice a lost network or session too late. */
  interrupt(why = new TaskgateError({ code: 'NETWORK_ERROR', message: 'There is no network' })): void {
    this.#attempt.abort(why);
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
      await this.#take(sync);
      if (sync.hasMore) this.#target.report('catching up');
      hasMore = sync.hasMore;
    }
    this.#target.report('live');
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { account } = this.#target;
    const variables = { after: this.#cursor() };
    const events = this.#client.subscribe<{ sync: Batch }>(this.#subscription, variables, { signal, account });
    for await (const { sync } of events) await this.#take(sync);
  }

  #cursor(): string | null {
    return this.#received.at(-1)?.cursor ?? (this.#startsOver ? null : (this.#target.cursor() ?? null));
  }

  async #take(batch: Batch): Promise<void> {
    this.#received.push(batch);
    if (!this.#target.isOfAccount(this.#received)) {
      this.#beginAnew();
      throw new TaskgateError({ code: 'UNAUTHENTICATED', message: 'The session belongs to another account' });
    }
    if (batch.hasMore) return;
    await this.#target.take(this.#received);
    this.#received = [];
    this.#startsOver = false;
  }

  #beginAnew(): void {
    this.#received = [];
    this.#startsOver = true;
  }
}

const toError = (error: unknown): TaskgateError =>
  error instanceof TaskgateError
    ? error
    : new TaskgateError({ code: 'UNEXPECTED_RESPONSE', message: 'The received data could not be applied' }, error);
