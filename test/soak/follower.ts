import { Client } from '../kit/client.ts';
import { cursorOfNow, poll, type SeenChange, type SeenTask, Stream, taskFields } from '../changes/stream.ts';
import type { World } from './world.ts';

/** Milliseconds after which a follower that gets no further counts as having missed what is left. */
const patience = 60_000;

/** A subscriber that keeps a replica, and comes back with its last cursor whatever happens to its connection. */
export class Follower {
  readonly userId: string;
  /** What it was told since the last checkpoint: task and time of each change. */
  seen: string[] = [];
  /** Changes that it was told of in all. */
  delivered = 0;
  readonly tasks = new Map<string, SeenTask>();
  reconnects = -1;
  #cursor: string;
  #stream: Stream | undefined;
  #stopped = false;
  #progress: (() => void) | undefined;
  readonly #world: World;
  readonly #cookie: string;
  readonly #running: Promise<void>;

  constructor(world: World, user: { id: string; cookie: string }, cursor: string) {
    this.#world = world;
    this.userId = user.id;
    this.#cookie = user.cookie;
    this.#cursor = cursor;
    this.#running = this.#follow();
  }

  /** A client at one of the gateways that are there. */
  async client(): Promise<Client & { url: string }> {
    await this.#world.database;
    const { url } = await this.#world.anyGateway();
    return Object.assign(new Client(url, this.#cookie), { url });
  }

  /** Cuts its connection, in the middle of whatever it is receiving. */
  disconnect(): void {
    this.#stream?.socket.socket.terminate();
  }

  /** Waits until it has been told all that there is, or gets no further. */
  async caughtUp(): Promise<void> {
    for (;;) {
      const asked = this.#cursor;
      const rest = await this.client()
        .then((client) => poll(client, asked, 1))
        .catch(() => undefined);
      if (rest?.nodes.length === 0 && !rest.hasNextPage) return;
      if (asked !== this.#cursor || !rest) continue;
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
    this.#stopped = true;
    this.disconnect();
    await this.#running;
  }

  /** Whether the replica is what the lists say. Where something moved while they were read, they are read again. */
  async isEqual(): Promise<boolean> {
    for (;;) {
      const client = await this.client();
      const before = await cursorOfNow(client);
      await this.caughtUp();
      const listed = await listAll(client);
      if ((await cursorOfNow(client)) !== before) continue;
      const text = (all: Map<string, SeenTask>) => JSON.stringify([...all].sort(([a], [b]) => (a < b ? -1 : 1)));
      return text(listed) === text(this.tasks);
    }
  }

  async #follow(): Promise<void> {
    while (!this.#stopped) {
      try {
        const client = await this.client();
        this.#stream = await Stream.open(client, client, { after: this.#cursor });
        this.reconnects += 1;
        for (;;) this.#apply(await this.#stream.take());
      } catch {
        // Whatever ended it: it comes back.
      }
    }
  }

  #apply(change: SeenChange): void {
    this.seen.push(`${change.taskId} ${change.at}`);
    this.delivered += 1;
    this.#cursor = change.cursor;
    if (change.kind === 'DELETED') this.tasks.delete(change.taskId);
    else if (change.task) this.tasks.set(change.taskId, change.task);
    this.#progress?.();
  }
}

interface Page {
  tasks: { nodes: SeenTask[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

async function listAll(client: Client): Promise<Map<string, SeenTask>> {
  const listed = new Map<string, SeenTask>();
  for (let after: string | null = null; ;) {
    const { tasks }: Page = await client.data<Page>(
      `query ($after: String) { tasks(first: 500, after: $after) { nodes { ${taskFields} } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    for (const task of tasks.nodes) listed.set(task.id, task);
    if (!tasks.pageInfo.hasNextPage) return listed;
    after = tasks.pageInfo.endCursor;
  }
}
