import type { Client } from '../client.ts';
import { TaskgateError } from '../errors.ts';
import { backoff, Condition } from '../retry.ts';
import { type Batch, syncQuery, syncSubscription } from './batch.ts';
import type { Status } from './queries.ts';

/** Most entities in a batch while the replica catches up. */
const batchSize = 1000;
/** Milliseconds after which a connection counts as one that works: the next pause is a short one again. */
const steadyMs = 10_000;

/** What a connection brings, and what it depends on. */
export interface ConnectionTarget {
  /** The account that requests are for; undefined: whichever the session belongs to. */
  readonly account: string | undefined;
  /** The position of the replica. */
  readonly cursor: () => string | undefined;
  /** Whether what was received is of the replica's account: if not, none of it is taken over. */
  readonly isOfAccount: (batches: readonly Batch[]) => boolean;
  /** Takes batches over, the last of which brings the replica to one moment. They count as not received where it rejects. */
  readonly take: (batches: readonly Batch[]) => Promise<void>;
  readonly report: (status: Status, problem?: TaskgateError) => void;
}

/**
 * Keeps a replica up with the service: fetches what it lacks, then follows changes, and resumes after every interruption. Batches that
 * bring the replica from one moment of the database to another are passed on together.
 */
export class Connection {
  readonly #client: Client;
  readonly #target: ConnectionTarget;
  readonly #query: string;
  readonly #subscription: string;
  /** Received, but more is ready after them. */
  #received: Batch[] = [];
  /** Its cursor has expired: the next batch is the first of a first load. */
  #isAnew = false;
  readonly #awakening = new Condition();
  #attempt = new AbortController();

  constructor(client: Client, target: ConnectionTarget) {
    this.#client = client;
    this.#target = target;
    this.#query = syncQuery(!client.hasToken);
    this.#subscription = syncSubscription(!client.hasToken);
  }

  /** Runs until the signal aborts. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // It may abort while something is waited for.
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

  /** Has it try again at once, where it waits to do so: there is a network again, or a session. */
  wake(): void {
    this.#awakening.notify();
  }

  /** Ends what is open, which would not notice by itself for a while that the network, or the session, is gone. */
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
    return this.#received.at(-1)?.cursor ?? (this.#isAnew ? null : (this.#target.cursor() ?? null));
  }

  async #take(batch: Batch): Promise<void> {
    this.#received.push(batch);
    if (!this.#target.isOfAccount(this.#received)) {
      this.#beginAnew();
      throw new TaskgateError({ code: 'UNAUTHENTICATED', message: 'The session is of another account' });
    }
    if (batch.hasMore) return;
    await this.#target.take(this.#received);
    this.#received = [];
    this.#isAnew = false;
  }

  #beginAnew(): void {
    this.#received = [];
    this.#isAnew = true;
  }
}

const toError = (error: unknown): TaskgateError =>
  error instanceof TaskgateError
    ? error
    : new TaskgateError({ code: 'UNEXPECTED_RESPONSE', message: 'What came could not be taken over' }, error);
