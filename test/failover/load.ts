import { until } from '../kit/until.ts';

export abstract class Load<Item> {
  readonly acknowledged: Item[] = [];
  #isPaused = false;
  #running: Promise<unknown> = Promise.resolve();

  start(): void {
    this.#isPaused = false;
    this.#running = Promise.all(this.writers());
  }

  /** Settles when all sent writes have a response. */
  async pause(): Promise<void> {
    this.#isPaused = true;
    await this.#running;
  }

  async until(count: number): Promise<void> {
    const target = this.acknowledged.length + count;
    await until(`${count} writes are acknowledged`, () => this.acknowledged.length >= target);
  }

  /** Each writer settles after the pause. */
  protected abstract writers(): Promise<void>[];

  protected get isPaused(): boolean {
    return this.#isPaused;
  }
}
