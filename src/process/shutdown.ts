import { once } from 'node:events';
import { log } from '@taskgate/base';

export const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGBREAK'] as const;

/** Ctrl-C signals the whole group, and npm forwards its own. */
const sameRequestMs = 1000;

export class StopSignal extends Error {
  readonly signal: NodeJS.Signals;
  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/** Listens for signals, unhandled errors and {@link fail}. It ends nothing itself. */
export class Shutdown {
  readonly #stop = new AbortController();
  readonly #urgent = new AbortController();
  /** Aborted with a {@link StopSignal} or the error. */
  readonly signal = this.#stop.signal;
  /** Aborted when the process must end without waiting. */
  readonly urgent = this.#urgent.signal;
  #stoppedAt = 0;
  #failed = false;

  constructor() {
    for (const name of stopSignals) process.on(name, () => this.#receive(name));
    process.on('uncaughtException', (error) => this.fail(error));
    process.on('unhandledRejection', (error) => this.fail(error));
    // The process continues if nobody reads its output.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  }

  get failed(): boolean {
    return this.#failed;
  }

  async requested(): Promise<never> {
    if (!this.signal.aborted) await once(this.signal, 'abort');
    throw this.signal.reason;
  }

  fail(error: unknown): void {
    this.#failed = true;
    if (this.signal.aborted) log.error({ error }, 'an error during the stop');
    else this.#stop.abort(error);
  }

  #receive(name: NodeJS.Signals) {
    if (!this.signal.aborted) {
      this.#stoppedAt = performance.now();
      this.#stop.abort(new StopSignal(name));
    } else if (performance.now() - this.#stoppedAt > sameRequestMs) {
      this.#urgent.abort();
    }
  }
}
