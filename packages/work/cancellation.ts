import { setMaxListeners } from 'node:events';
import { TaskgateError, unavailable } from '@taskgate/base';

/** One timer checks the deadlines of all operations. */
const pollMs = 250;

/** Longer than for other refusals, because the service has been busy for the whole deadline. */
const retryAfterSeconds = 5;

/** Nobody receives this error, and no log has it. */
export class CallerGone extends TaskgateError {
  constructor() {
    super('UNAVAILABLE', 'The caller has gone');
  }
}

const deadlineExceeded = () => unavailable('The operation timed out: try again in a moment', retryAfterSeconds);

/**
 * Ends the waits and reads of an operation if its caller hangs up or its deadline passes. A write that has begun is
 * finished and answered.
 */
export class Cancellation {
  readonly #controller = new AbortController();
  /** Aborts at a hang-up or deadline. Its reason (UNAVAILABLE) may be shown to the client. */
  readonly signal: AbortSignal = this.#controller.signal;
  #hangUp: AbortController | undefined;
  #isGone = false;
  readonly #deadlines: Deadlines;
  readonly #onLift: (() => void) | undefined;

  /** @param onLift called when the deadline no longer applies */
  constructor(deadlines: Deadlines, onLift?: () => void) {
    this.#deadlines = deadlines;
    this.#onLift = onLift;
    // Each field that reads adds a listener, so many listeners are no leak.
    setMaxListeners(Infinity, this.signal);
    deadlines.begin(this);
  }

  /** Aborts at a hang-up, but not at the deadline. The reads after a write use it. */
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
    this.#controller.abort(reason);
    this.#hangUp?.abort(reason);
  }

  /** Removes the deadline: the operation is over, or is a stream with its own bounds. */
  lift(): void {
    this.#deadlines.end(this);
    this.#onLift?.();
  }

  expire(): void {
    this.#deadlines.end(this);
    this.#controller.abort(deadlineExceeded());
  }
}

/** Durations are equal, so the first operation to begin is the first to expire. */
export class Deadlines {
  readonly #durationMs: number;
  readonly #deadlines = new Map<Cancellation, number>();
  #polling: NodeJS.Timeout | undefined;

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

/** Rejects when the signal aborts. The work continues. @throws the signal's reason */
export function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
