import { once } from 'node:events';
import { log } from '../kernel/logger.ts';

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGBREAK'] as const;

/**
 * Signals that come so soon after the first one are the same request: at Ctrl-C a terminal sends one to the whole
 * group, and npm hands its own on.
 */
const sameRequestMs = 1000;

/** The process was asked to end. */
export class StopSignal extends Error {
  readonly signal: NodeJS.Signals;
  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/**
 * Listens for all that ends the process, from its first moment on: signals, errors that nothing handled, and what
 * {@link fail} reports. It ends nothing itself.
 */
export class Shutdown {
  readonly #begun = new AbortController();
  readonly #urgent = new AbortController();
  /** Aborted once the process is to end; its reason is a {@link StopSignal} or the error. */
  readonly signal = this.#begun.signal;
  /** Aborted once the process is to end without waiting for anybody. */
  readonly urgent = this.#urgent.signal;
  #begunAt = 0;
  #failed = false;

  constructor() {
    for (const name of stopSignals) process.on(name, () => this.#receive(name));
    process.on('uncaughtException', (error) => this.fail(error));
    process.on('unhandledRejection', (error) => this.fail(error));
    // Nobody reads what it says any more; that is no reason to end.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  }

  get failed(): boolean {
    return this.#failed;
  }

  /** Rejects with the reason once the process is to end. */
  async requested(): Promise<never> {
    if (!this.signal.aborted) await once(this.signal, 'abort');
    throw this.signal.reason;
  }

  /** The process is to end, because of the error. */
  fail(error: unknown): void {
    this.#failed = true;
    if (this.signal.aborted) log.error({ error }, 'an error on the way to the end');
    else this.#begun.abort(error);
  }

  #receive(name: NodeJS.Signals) {
    if (!this.signal.aborted) {
      this.#begunAt = performance.now();
      this.#begun.abort(new StopSignal(name));
    } else if (performance.now() - this.#begunAt > sameRequestMs) {
      this.#urgent.abort();
    }
  }
}
