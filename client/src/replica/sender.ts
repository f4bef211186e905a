import type { Client } from '../client.ts';
import { isTransient, TaskgateError } from '../errors.ts';
import { backoff, Bell } from '../retry.ts';
import type { OutboxEntry } from './outbox.ts';

/** What a sender sends, and whom it tells. What rejects is tried again. */
export interface SenderTarget {
  /** The first entry that is to be sent. */
  readonly next: () => OutboxEntry | undefined;
  readonly answered: (key: string) => Promise<void>;
  readonly refused: (key: string, error: TaskgateError) => Promise<void>;
}

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
  return !['UNAUTHENTICATED', 'UNEXPECTED_ANSWER', 'STORAGE_FAILED'].includes(error.code);
}

/**
 * Sends mutations one after another, each until it is answered, under its idempotency key. It does so between `open` and `close`: while
 * it is known that the session is the one of the replica's account.
 */
export class Sender {
  readonly #client: Client;
  readonly #target: SenderTarget;
  #isOpen = false;
  readonly #added = new Bell();
  readonly #opened = new Bell();

  constructor(client: Client, target: SenderTarget) {
    this.#client = client;
    this.#target = target;
  }

  open(): void {
    this.#isOpen = true;
    this.#opened.ring();
    this.#added.ring();
  }

  close(): void {
    this.#isOpen = false;
  }

  /** There may be something to send. */
  notify(): void {
    this.#added.ring();
  }

  /** Runs until the signal aborts. It never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // It may abort while something is waited for.
    const isOver = () => signal.aborted;
    // Faults are the mutation's own; that there is no network says nothing against it.
    let [failures, faults, key] = [0, 0, ''];
    while (!isOver()) {
      const entry = this.#isOpen ? this.#target.next() : undefined;
      if (!entry) {
        await this.#added.wait(signal);
        continue;
      }
      if (entry.key !== key) [faults, key] = [0, entry.key];
      try {
        await this.#send(entry, signal, faults);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (isFault(error)) faults += 1;
        const { retryAfter } = error as Partial<TaskgateError>;
        await this.#opened.wait(signal, backoff(failures, retryAfter));
      }
    }
  }

  /** @throws what another try may mend */
  async #send({ key, document, variables }: OutboxEntry, signal: AbortSignal, faults: number): Promise<void> {
    try {
      await this.#client.graphql(document, variables, { idempotencyKey: key, signal, maxAttempts: 1 });
    } catch (error) {
      if (!isRefusal(error, faults + 1)) throw error;
      return this.#target.refused(key, error);
    }
    await this.#target.answered(key);
  }
}
