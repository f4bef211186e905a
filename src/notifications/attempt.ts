/** Milliseconds within which an attempt has to come to the content of the mail. */
const progressMs = 20_000;

/**
 * Milliseconds after which an attempt is given up. A server that scans a mail before it takes it may say nothing for long: an attempt
 * that does not wait sends it twice.
 */
const attemptMs = 60_000;

/** The lease of a delivery has ended: another process may send it. */
class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
}

/** An attempt to send what a process has leased: it ends with the lease, unless that is renewed, and where it makes no progress. */
export class Attempt {
  readonly #controller = new AbortController();
  #leasedUntil: number;
  #deadline = Infinity;
  #timer: NodeJS.Timeout | undefined;

  /** @param leasedUntil by `performance.now()` */
  constructor(leasedUntil: number) {
    this.#leasedUntil = leasedUntil;
    this.#setTimer();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the lease holds. A process that was stopped finds out by this, before any timer fires. */
  get isHeld(): boolean {
    return !this.signal.aborted && performance.now() < Math.min(this.#leasedUntil, this.#deadline);
  }

  /** Until when the lease holds, by `performance.now()`. */
  get leasedUntil(): number {
    return this.#leasedUntil;
  }

  /** The lease was renewed, or lost. */
  leaseUntil(leasedUntil: number): void {
    this.#leasedUntil = leasedUntil;
    this.#setTimer();
  }

  /** It begins: it has waited for its turn until now. */
  begin(): void {
    this.#deadline = performance.now() + progressMs;
    this.#setTimer();
  }

  /** To be called right before the content is sent. @throws LeaseEnded where another process may send it by now */
  beginContent(): void {
    if (!this.isHeld) throw new LeaseEnded();
    this.#deadline += attemptMs - progressMs;
    this.#setTimer();
  }

  end(): void {
    this.release();
    this.#controller.abort();
  }

  /** It is over, and needs no timer any more. */
  release(): void {
    clearTimeout(this.#timer);
  }

  #setTimer(): void {
    this.release();
    const ms = Math.min(this.#leasedUntil, this.#deadline) - performance.now();
    if (ms <= 0) this.end();
    else this.#timer = setTimeout(() => this.end(), ms).unref();
  }
}
