import { z } from 'zod';
import { log } from '@taskgate/base';
import { wait } from '@taskgate/postgres';
import type { ChangeHint } from '../../platform/change-hint.ts';

interface NotificationHandler {
  changed(hint: ChangeHint): void;
  /** Everything must be polled. */
  lost(): void;
}

/** Carries notifications between processes. A lost one only costs time. */
interface NotificationChannel {
  send(message: string): Promise<void>;
  close(): Promise<void>;
}

/** `receive` also gets the process' own messages. `lost` follows a gap. */
export type OpenChannel = (receive: (message: string) => void, lost: () => void) => NotificationChannel;

export const noChannel: OpenChannel = () => ({ send: () => Promise.resolve(), close: () => Promise.resolve() });

export const channelName = 'taskgate_changes';

/** NOTIFY accepts less than 8,000 bytes; an id has about 31. */
const idsPerMessage = 200;
/** Limits a process to 50 messages a second. */
const coalesceMs = 20;

const shape = z.object({ from: z.string(), spaces: z.array(z.string()), users: z.array(z.string()) });

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
