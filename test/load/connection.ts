import type { Feed } from '../changes/feeds.ts';
import { pause } from '../kit/pause.ts';
import type { ReadyService } from '../kit/supervisor.ts';

/** Milliseconds without progress before a follower has missed the rest. */
const timeoutMs = 60_000;
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

  constructor(open: () => Promise<Feed<Item>>, onItem: (item: Item) => void) {
    this.#open = open;
    this.#running = this.#run(onItem);
  }

  disconnect(): void {
    this.#feed?.disconnect();
  }

  /**
   * Waits until everything has arrived or nothing more arrives.
   * @param hasAll is called again if it fails
   */
  async untilCaughtUp(hasAll: () => Promise<boolean>): Promise<void> {
    for (;;) {
      const before = this.#taken;
      const hasEverything = await hasAll().catch(() => undefined);
      if (hasEverything === true) return;
      if (hasEverything === undefined || before !== this.#taken) continue;
      const hasProgress = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), timeoutMs);
        this.#progress = () => {
          clearTimeout(timer);
          resolve(true);
        };
      });
      if (!hasProgress) return;
    }
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.disconnect();
    await this.#running;
  }

  // A function, because the value changes during awaits.
  readonly #hasStopped = () => this.#isStopped;

  async #run(onItem: (item: Item) => void): Promise<void> {
    while (!this.#isStopped) {
      try {
        this.#feed = await this.#open();
        if (this.#hasStopped()) this.disconnect();
        this.reconnects += 1;
        for (;;) {
          onItem(await this.#feed.take());
          this.#taken += 1;
          this.#progress?.();
        }
      } catch {
        this.#feed?.disconnect();
        await pause(pauseMs);
      }
    }
  }
}
