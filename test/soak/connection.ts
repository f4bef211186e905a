import type { Feed } from '../changes/feeds.ts';
import { pause } from '../kit/pause.ts';
import type { ReadyService } from '../kit/supervisor.ts';

/** Milliseconds after which a follower that gets no further counts as having missed what is left. */
const patience = 60_000;
/** Milliseconds after which it comes back where it was refused. */
const pauseMs = 50;

/** Gives the address of a service, once there is one. */
export type FindService = () => Promise<Pick<ReadyService, 'url'>>;

/** A connection by which things come, which is opened again whatever happens to it. */
export class Connection<Item> {
  reconnects = -1;
  #taken = 0;
  #feed: Feed<Item> | undefined;
  #isStopped = false;
  #progress: (() => void) | undefined;
  readonly #open: () => Promise<Feed<Item>>;
  readonly #running: Promise<void>;

  /**
   * @param open opens it where the last one has got to
   * @param take is given what comes
   */
  constructor(open: () => Promise<Feed<Item>>, take: (item: Item) => void) {
    this.#open = open;
    this.#running = this.#run(take);
  }

  /** Cuts it, in the middle of whatever it is receiving. */
  cut(): void {
    this.#feed?.cut();
  }

  /**
   * Waits until all has come, or nothing comes any more.
   * @param hasAll may fail, and is asked again then
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

  // It may have been stopped while something was waited for.
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
        // Whatever ended it: it comes back.
        this.#feed?.cut();
        await pause(pauseMs);
      }
    }
  }
}
