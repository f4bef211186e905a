/** Maximum time until the content is sent. */
const progressMs = 20_000;

/** Maximum time of an attempt. Some mail servers scan a mail before they reply: a shorter time would send it twice. */
const attemptMs = 60_000;

class LeaseEnded extends Error {
  override readonly name = 'LeaseEnded';
}

/** An attempt to send rows. It is aborted if the lease ends or progress stops. */
export class Attempt {
  readonly #controller = new AbortController();
  #leasedUntil: number;
  #deadline = Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(leasedUntil: number) {
    this.#leasedUntil = leasedUntil;
    this.#setTimer();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether this process still holds the row. After a pause of the process, it is false even before a timer fires. */
  get isHeld(): boolean {
    return !this.signal.aborted && performance.now() < Math.min(this.#leasedUntil, this.#deadline);
  }

  /** End of the lease by `performance.now()`. */
  get leasedUntil(): number {
    return this.#leasedUntil;
  }

  leaseUntil(leasedUntil: number): void {
    this.#leasedUntil = leasedUntil;
    this.#setTimer();
  }

  /** Call it after the wait for a turn. */
  begin(): void {
    this.#deadline = performance.now() + progressMs;
    this.#setTimer();
  }

  /** Call it right before sending content. @throws LeaseEnded if another process may send it */
  beginContent(): void {
    if (!this.isHeld) throw new LeaseEnded();
    this.#deadline += attemptMs - progressMs;
    this.#setTimer();
  }

  end(): void {
    this.release();
    this.#controller.abort();
  }

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
