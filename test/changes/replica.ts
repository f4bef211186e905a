import { expect } from '@jest/globals';
import type { Client } from '../kit/client.ts';
import { withTimeout } from '../kit/until.ts';
import { cursorOfNow, poll, type ReceivedChange, type ReceivedTask, Stream, taskFields } from './stream.ts';

/** A client's copy of the tasks. It fetches the lists once, and follows the stream from then on. */
export class Replica {
  readonly tasks = new Map<string, ReceivedTask>();
  readonly #service: { url: string };
  readonly #user: Client;
  readonly #cursors = new Set<string>();
  #cursor: string;
  #stream: Stream;
  #reading: Promise<void>;
  #reconnecting = Promise.resolve();
  #waiting: { cursor: string; resolve: () => void } | undefined;

  private constructor(service: { url: string }, user: Client, cursor: string, stream: Stream) {
    this.#service = service;
    this.#user = user;
    this.#cursor = cursor;
    this.#stream = stream;
    this.#reading = this.#read(stream);
  }

  static async open(service: { url: string }, user: Client): Promise<Replica> {
    const cursor = await cursorOfNow(user);
    const replica = new Replica(service, user, cursor, await Stream.open(service, user, { after: cursor }));
    for (const task of await allTasks(user)) replica.tasks.set(task.id, task);
    return replica;
  }

  /** Breaks the stream off anywhere, and resumes from the last received change. */
  reconnect(): Promise<void> {
    this.#reconnecting = this.#reconnecting.then(() => this.#reconnect());
    return this.#reconnecting;
  }

  async #reconnect(): Promise<void> {
    this.#stream.socket.socket.terminate();
    await this.#reading;
    this.#stream = await Stream.open(this.#service, this.#user, { after: this.#cursor });
    this.#reading = this.#read(this.#stream);
  }

  async expectEqual(): Promise<void> {
    await this.untilCaughtUp();
    const compareIds = (a: ReceivedTask, b: ReceivedTask) => (a.id < b.id ? -1 : 1);
    expect([...this.tasks.values()].sort(compareIds)).toEqual((await allTasks(this.#user)).sort(compareIds));
    this.#stream.close();
    await this.#reading;
  }

  async untilCaughtUp(): Promise<void> {
    for (;;) {
      const { nodes } = await poll(this.#user, this.#cursor, 500);
      const last = nodes.at(-1)?.cursor;
      if (last === undefined || last === this.#cursor) return;
      const received = new Promise<void>((resolve) => {
        if (this.#cursors.has(last)) resolve();
        else this.#waiting = { cursor: last, resolve };
      });
      await withTimeout(`the change at ${last}`, received);
    }
  }

  async #read(stream: Stream): Promise<void> {
    for (;;) {
      const change = await stream.take().catch(() => undefined);
      if (!change) return;
      this.#apply(change);
    }
  }

  #apply({ cursor, kind, taskId, task }: ReceivedChange): void {
    expect(this.#cursors.has(cursor)).toBe(false);
    this.#cursors.add(cursor);
    this.#cursor = cursor;
    if (kind === 'CREATED' && this.tasks.get(taskId) === undefined) expect(task).not.toBeNull();
    if (kind === 'DELETED') this.tasks.delete(taskId);
    else if (task) this.tasks.set(taskId, task);
    if (this.#waiting?.cursor === cursor) this.#waiting.resolve();
  }
}

async function allTasks(user: Client): Promise<ReceivedTask[]> {
  const query = `{ tasks(first: 500) { nodes { ${taskFields} } } }`;
  return (await user.data<{ tasks: { nodes: ReceivedTask[] } }>(query)).tasks.nodes;
}
