import { until } from '../kit/until.ts';

/** Writers that run at once, each one write after the other, until they are paused. */
export abstract class Load<Acknowledged> {
  /** One entry for each acknowledged write. */
  readonly acknowledged: Acknowledged[] = [];
  #isPaused = false;
  #running: Promise<unknown> = Promise.resolve();

  begin(): void {
    this.#isPaused = false;
    this.#running = Promise.all(this.writers());
  }

  /** Settles when each write that was sent has been answered. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  /** Waits until a number of further writes have been acknowledged. */
  async until(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    await until(`${count} writes are acknowledged`, () => this.acknowledged.length >= wanted);
  }

  /** Starts all writers; each settles after the pause. */
  protected abstract writers(): Promise<void>[];

  protected get isPaused(): boolean {
    return this.#isPaused;
  }
}
