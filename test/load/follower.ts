import type { OpenFeed } from '../changes/feeds.ts';
import { cursorOfNow, poll, type ReceivedChange, type ReceivedTask, taskFields } from '../changes/stream.ts';
import { Client } from '../kit/client.ts';
import { Connection, type FindService } from './connection.ts';
import type { Person } from './people.ts';

/** A subscriber to task changes that resumes with its last cursor. */
export class Follower {
  readonly person: Person;
  /** Task and time of each change. */
  received: string[] = [];
  delivered = 0;
  readonly tasks = new Map<string, ReceivedTask>();
  readonly connection: Connection<ReceivedChange>;
  #cursor: string;
  readonly #find: FindService;

  private constructor(person: Person, open: OpenFeed<ReceivedChange>, findService: FindService, cursor: string) {
    this.person = person;
    this.#find = findService;
    this.#cursor = cursor;
    this.connection = new Connection(
      async () => open(await findService(), person, this.#cursor),
      (change) => this.#apply(change),
    );
  }

  /** Starts at the current position. The account must have no tasks. */
  static async start(person: Person, open: OpenFeed<ReceivedChange>, findService: FindService): Promise<Follower> {
    return new Follower(person, open, findService, await cursorOfNow(person.user));
  }

  async client(): Promise<Client> {
    return new Client((await this.#find()).url, this.person.cookie);
  }

  untilCaughtUp(): Promise<void> {
    return this.connection.untilCaughtUp(async () => {
      const rest = await poll(await this.client(), this.#cursor, 1);
      return rest.nodes.length === 0 && !rest.hasNextPage;
    });
  }

  async isEqual(): Promise<boolean> {
    for (;;) {
      const client = await this.client();
      const before = await cursorOfNow(client);
      await this.untilCaughtUp();
      const listedTasks = await listAll(client);
      if ((await cursorOfNow(client)) !== before) continue;
      return textOf(listedTasks) === textOf(this.tasks);
    }
  }

  #apply(change: ReceivedChange): void {
    this.received.push(`${change.taskId} ${change.at}`);
    this.delivered += 1;
    this.#cursor = change.cursor;
    if (change.kind === 'DELETED') this.tasks.delete(change.taskId);
    else if (change.task) this.tasks.set(change.taskId, change.task);
  }
}

/** Tags are compared as a set: their order by name changes without the task. */
function textOf(tasks: ReadonlyMap<string, ReceivedTask>): string {
  const rows = [...tasks.values()].map((task) => ({ ...task, tags: task.tags.map(({ id }) => id).sort() }));
  return JSON.stringify(rows.sort((a, b) => (a.id < b.id ? -1 : 1)));
}

interface Page {
  tasks: { nodes: ReceivedTask[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
}

async function listAll(client: Client): Promise<Map<string, ReceivedTask>> {
  const tasksById = new Map<string, ReceivedTask>();
  for (let after: string | null = null; ;) {
    const { tasks }: Page = await client.data<Page>(
      `query ($after: String) { tasks(first: 500, after: $after) { nodes { ${taskFields} } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    for (const task of tasks.nodes) tasksById.set(task.id, task);
    if (!tasks.pageInfo.hasNextPage) return tasksById;
    after = tasks.pageInfo.endCursor;
  }
}
