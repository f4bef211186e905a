import { setMaxListeners } from 'node:events';
import { TaskgateError, unavailable } from './errors.ts';

/** Milliseconds between two polls for deadlines that have passed: one timer for all operations, not one for each. */
const pollMs = 250;

/** Seconds after which it is worth trying again what has met its deadline: what it waited for was busy for long. */
const retryAfterSeconds = 5;

/** The caller has hung up: nobody is left to take the response, and there is nothing to log. */
export class CallerGone extends TaskgateError {
  constructor() {
    super('UNAVAILABLE', 'The caller has gone');
  }
}

const deadlineExceeded = () =>
  unavailable('The service did not get this done in time: try again in a moment', retryAfterSeconds);

/**
 * What ends an operation early: its caller hangs up, or its deadline passes. It ends what waits, and what only reads. A
 * write that has begun is finished, and answered by its outcome.
 */
export class Cancellation {
  readonly #any = new AbortController();
  /** Aborted when the caller hangs up, or the deadline passes; its reason is UNAVAILABLE, fit to be shown. */
  readonly signal = this.#any.signal;
  #hangUp: AbortController | undefined;
  #isGone = false;
  readonly #deadlines: Deadlines;
  readonly #onLift: (() => void) | undefined;

  /**
   * Its deadline begins now.
   * @param onLift called when the deadline holds no longer, whatever the reason
   */
  constructor(deadlines: Deadlines, onLift?: () => void) {
    this.#deadlines = deadlines;
    this.#onLift = onLift;
    // Each field that reads listens for as long as it waits: many of one operation are no leak.
    setMaxListeners(Infinity, this.signal);
    deadlines.begin(this);
  }

  /** Aborted when the caller hangs up: for what is done to its end beyond the deadline, as a write has happened. */
  get hangUpSignal(): AbortSignal {
    if (!this.#hangUp) {
      this.#hangUp = new AbortController();
      setMaxListeners(Infinity, this.#hangUp.signal);
    }
    if (this.#isGone) this.#hangUp.abort(this.signal.reason);
    return this.#hangUp.signal;
  }

  hangUp(): void {
    this.lift();
    this.#isGone = true;
    const reason = new CallerGone();
    this.#any.abort(reason);
    this.#hangUp?.abort(reason);
  }

  /** The deadline holds no longer: the operation is over, or what follows has its own bounds, as streams have. */
  lift(): void {
    this.#deadlines.end(this);
    this.#onLift?.();
  }

  /** The deadline has passed. A write that has begun continues, and is in flight until it is answered. */
  expire(): void {
    this.#deadlines.end(this);
    this.#any.abort(deadlineExceeded());
  }
}

/** The deadlines of an app's operations. All operations have the same time, so that the first to begin is the first to end. */
export class Deadlines {
  readonly #durationMs: number;
  /** By when each has to be done, on the process' clock. */
  readonly #deadlines = new Map<Cancellation, number>();
  #polling: NodeJS.Timeout | undefined;

  /** @param durationMs milliseconds after which an operation is given up */
  constructor(durationMs = 30_000) {
    this.#durationMs = durationMs;
  }

  begin(cancellation: Cancellation): void {
    this.#deadlines.set(cancellation, performance.now() + this.#durationMs);
    this.#polling ??= setInterval(() => this.#poll(), pollMs).unref();
  }

  end(cancellation: Cancellation): void {
    this.#deadlines.delete(cancellation);
  }

  #poll(): void {
    const now = performance.now();
    for (const [cancellation, deadline] of this.#deadlines) {
      if (deadline > now) return;
      cancellation.expire();
    }
    if (this.#deadlines.size > 0) return;
    clearInterval(this.#polling);
    this.#polling = undefined;
  }
}

/**
 * Settles as the work does, but no later than the signal: the work is left to itself then.
 * @throws the signal's reason, where it is aborted before
 */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
