import { z } from 'zod';
import { log } from '../../kernel/logger.ts';
import type { ChangeHint } from '../../kernel/change-hint.ts';
import { wait } from '../../database/retry.ts';

/** Receives what other processes send, and learns of gaps. */
export interface NotificationHandler {
  changed(hint: ChangeHint): void;
  /** Notifications may have been lost: everything is to be polled. */
  lost(): void;
}

/** Carries change notifications between the processes of the service; what it loses costs time alone. */
export interface NotificationChannel {
  send(message: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a channel; `receive` is given every message, the process' own too, and `lost` called after a gap. */
export type OpenChannel = (receive: (message: string) => void, lost: () => void) => NotificationChannel;

/** Carries nothing. */
export const noChannel: OpenChannel = () => ({ send: () => Promise.resolve(), close: () => Promise.resolve() });

/** Names the channel, in PostgreSQL and in Redis. */
export const channelName = 'taskgate_changes';

/** NOTIFY takes less than 8,000 bytes; an id has about 31. */
const idsPerMessage = 200;
/** Milliseconds in which notifications become one message: subscribers at other processes wait as long, and a busy process sends 50 a second. */
const coalesceMs = 20;

const shape = z.object({ from: z.string(), spaces: z.array(z.string()), users: z.array(z.string()) });

/** Sends change notifications, many as one, and takes those of other processes. They say only where, never what. */
export class ChangeNotifier {
  readonly #channel: NotificationChannel;
  readonly #self = crypto.randomUUID();
  #spaces = new Set<string>();
  #users = new Set<string>();
  #sending: Promise<void> | undefined;

  constructor(open: OpenChannel, listener: NotificationHandler) {
    this.#channel = open(
      (message) => {
        const hint = this.#read(message);
        if (hint) listener.changed(hint);
      },
      () => listener.lost(),
    );
  }

  send({ spaces = [], users = [] }: ChangeHint): void {
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
        await this.#channel
          .send(message)
          .catch((error: unknown) => log.debug({ error }, 'a change notification was not sent'));
      }
      await wait(coalesceMs);
    }
  }

  #read(message: string): ChangeHint | undefined {
    try {
      const { from, ...hint } = shape.parse(JSON.parse(message));
      return from === this.#self ? undefined : hint;
    } catch {
      return undefined;
    }
  }
}
