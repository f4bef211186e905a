import type { Feed } from '../changes/feeds.ts';
import { pause } from '../kit/pause.ts';
import type { ReadyService } from '../kit/supervisor.ts';

/** Milliseconds without progress before a follower has missed the rest. */
const patience = 60_000;
const pauseMs = 50;

export type FindService = () => Promise<Pick<ReadyService, 'url'>>;

/** A feed that reconnects after any failure. */
export class Connection<Item> {
  reconnects = -1;
  #taken = 0;
  #feed: Feed<Item> | undefined;
  #isStopped = false;
  #progress: (() => void) | undefined;
  readonly #open: () => Promise<Feed<Item>>;
  readonly #running: Promise<void>;

  constructor(open: () => Promise<Feed<Item>>, take: (item: Item) => void) {
    this.#open = open;
    this.#running = this.#run(take);
  }

  cut(): void {
    this.#feed?.cut();
  }

  /**
   * Waits until everything has arrived or nothing more arrives.
   * @param hasAll is called again if it fails
   */
  async caughtUp(hasAll: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const taken = this.#taken;
      const is = await hasAll().catch(() => undefined);
      if (is === true) return;
      if (is === undefined || taken !== this.#taken) continue;
      const isFurther = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), patience);
        this.#progress = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (!isFurther) return;
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.cut();
    await this.#running;
  }

  // A function, because the value changes during awaits.
  readonly #hasStopped = () => this.#isStopped;

  async #run(take: (item: Item) => void): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#feed = await this.#open();
        if (this.#hasStopped()) this.cut();
        this.reconnects += 1;
        for (;;) {
          take(await this.#feed.take());
          this.#taken += 1;
          this.#progress?.();
        }
      } catch {
        this.#feed?.cut();
        await pause(pauseMs);
      }
    }
  }
}
