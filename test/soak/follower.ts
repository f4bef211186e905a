import type { Feed, OpenFeed } from '../changes/feeds.ts';
import { cursorOfNow, poll, type SeenChange, type SeenTask, taskFields } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import type { Person } from './people.ts';

/** Milliseconds after which a follower that gets no further counts as having missed what is left. */
const patience = 60_000;
/** Milliseconds after which it comes back where it was refused. */
const pauseMs = 50;

/** Gives the address of a service, once there is one. */
export type FindService = () => Promise<{ url: string }>;

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
  #feed: Feed | undefined;
  #stopped = false;
  #progress: (() => void) | undefined;
  readonly #find: FindService;
  readonly #person: Person;
  readonly #open: OpenFeed;
  readonly #running: Promise<void>;

  private constructor(person: Person, open: OpenFeed, find: FindService, cursor: string) {
    this.userId = person.user.id;
    this.#person = person;
    this.#open = open;
    this.#find = find;
    this.#cursor = cursor;
    this.#running = this.#follow();
  }

  /** Begins with what is written from now on, of an account that has no tasks yet. */
  static async begin(person: Person, open: OpenFeed, find: FindService): Promise<Follower> {
    return new Follower(person, open, find, await cursorOfNow(person.user));
  }

  /** A client at one of the services that are there. */
  async client(): Promise<Client> {
    return new Client((await this.#find()).url, this.#person.cookie);
  }

  /** Cuts its connection, in the middle of whatever it is receiving. */
  disconnect(): void {
    this.#feed?.cut();
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
        this.#feed = await this.#open(await this.#find(), this.#person, this.#cursor);
        this.reconnects += 1;
        for (;;) this.#apply(await this.#feed.take());
      } catch {
        // Whatever ended it: it comes back.
        this.#feed?.cut();
        await pause(pauseMs);
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
