import { z } from 'zod';
import { log } from '../kernel/logger.ts';
import type { Moved } from '../kernel/change-hint.ts';
import { wait } from './retry.ts';

/** Who is told: of wake-ups that other processes sent, and of having been deaf for a while. */
export interface WakeUpListener {
  moved(moved: Moved): void;
  /** Wake-ups may have been lost: look at everything. */
  lost(): void;
}

/** Carries wake-ups between the processes of the service; what it loses costs time alone. */
export interface WakeUpChannel {
  /** Sends one message to the other processes. */
  send(message: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a channel; `receive` is given every message, the process' own too, and `lost` called after a gap. */
export type OpenChannel = (receive: (message: string) => void, lost: () => void) => WakeUpChannel;

/** Carries nothing. */
export const noChannel: OpenChannel = () => ({ send: () => Promise.resolve(), close: () => Promise.resolve() });

/** Names the channel, in PostgreSQL and in Redis. */
export const channelName = 'taskgate_changes';

/** NOTIFY takes less than 8,000 bytes; an id has about 31. */
const idsPerMessage = 200;
/** Milliseconds in which wake-ups are gathered into one message. */
const gathering = 5;

const shape = z.object({ from: z.string(), spaces: z.array(z.string()), users: z.array(z.string()) });

/** Sends wake-ups, many as one, and takes those of other processes. They say only who moved, never what. */
export class WakeUps {
  readonly #channel: WakeUpChannel;
  readonly #self = crypto.randomUUID();
  #spaces = new Set<string>();
  #users = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(open: OpenChannel, listener: WakeUpListener) {
    this.#channel = open(
      (message) => {
        const moved = this.#read(message);
        if (moved) listener.moved(moved);
      },
      () => listener.lost(),
    );
  }

  send({ spaces = [], users = [] }: Moved): void {
    for (const id of spaces) this.#spaces.add(id);
    for (const id of users) this.#users.add(id);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#sending;
    await this.#channel.close();
  }

  async #sendAll(): Promise<void> {
    while (this.#spaces.size + this.#users.size > 0) {
      const [spaces, users] = [[...this.#spaces], [...this.#users]];
      this.#spaces.clear();
      this.#users.clear();
      for (let at = 0; at < Math.max(spaces.length, users.length); at += idsPerMessage / 2) {
        const part = (ids: string[]) => ids.slice(at, at + idsPerMessage / 2);
        const message = JSON.stringify({ from: this.#self, spaces: part(spaces), users: part(users) });
        await this.#channel.send(message).catch((error: unknown) => log.debug({ error }, 'a wake-up was not sent'));
      }
      await wait(gathering);
    }
  }

  #read(message: string): Moved | undefined {
    try {
      const { from, ...moved } = shape.parse(JSON.parse(message));
      return from === this.#self ? undefined : moved;
    } catch {
      return undefined;
    }
  }
}
