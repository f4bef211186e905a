import pRetry from 'p-retry';
import type { OpenFeed } from '../changes/feeds.ts';
import { Client } from '../kit/client.ts';
import { type Entities, fetchBatch, kinds, listEntities, type ReceivedBatch } from '../sync/replica.ts';
import { Connection, type FindService } from './connection.ts';
import type { Effects } from './effects.ts';
import { History } from './history.ts';
import type { Person } from './people.ts';
import type { SentWrite } from './load.ts';

interface PageInfo {
  hasNextPage: boolean;
  endCursor: string | null;
}

/** A full replica that resumes with its last cursor. */
export class SyncFollower {
  readonly person: Person;
  readonly connection: Connection<ReceivedBatch>;
  delivered = 0;
  readonly #find: FindService;
  readonly #history: History;
  #batches: ReceivedBatch[] = [];
  #cursor: string | null = null;
  /** Whether it started over since the last checkpoint: a first load acknowledges no mutations. */
  #isAnew = true;

  constructor(
    person: Person,
    open: OpenFeed<ReceivedBatch, string | null>,
    findService: FindService,
    effects: Effects,
  ) {
    this.person = person;
    this.#find = findService;
    this.#history = new History(person.user.id, effects);
    this.connection = new Connection(
      async () => open(await findService(), person, this.#cursor),
      (batch) => {
        this.#batches.push(batch);
        this.#cursor = batch.cursor;
        this.delivered += 1;
      },
    );
  }

  restart(): void {
    this.#cursor = null;
    this.#isAnew = true;
    this.connection.disconnect();
  }

  untilCaughtUp(): Promise<void> {
    return this.connection.untilCaughtUp(async () => {
      const { user, deleted, mutations, hasMore, ...rest } = await fetchBatch(await this.#client(), this.#cursor);
      return (
        !hasMore &&
        !user &&
        [deleted, mutations, ...kinds.map((kind) => rest[kind])].every(({ length }) => length === 0)
      );
    });
  }

  /**
   * Call while nobody writes.
   * @param sentWrites writes of all users
   * @returns problems
   */
  async check(sentWrites: readonly SentWrite[]): Promise<string[]> {
    const own = sentWrites
      .filter(({ key, person }) => key !== undefined && person.user.id === this.person.user.id)
      .map((each) => [each.key ?? '', each] as const);
    const writes = new Map(own);
    const history = this.#history;
    for (const batch of this.#batches.splice(0)) history.apply(batch, writes);
    const problems = history.problems.splice(0);
    for (const [key, { outcome }] of writes) {
      const times = history.acknowledgements(key);
      const isDone = outcome === 'acknowledged';
      const isExpected = isDone ? times === 1 || (times === 0 && this.#isAnew) : times === 0;
      if (!isExpected) problems.push(`acknowledgement: ${outcome}, and named ${times} times: ${key}`);
    }
    this.#isAnew = false;
    // The first statements after a restart of the database may fail.
    const lists = await pRetry(async () => listEntities(await this.#client()), { retries: 5 });
    problems.push(...differences(history.replica.entities, lists).map((text) => `unequal: a replica: ${text}`));
    const entries = await pRetry(async () => unreadEntries(await this.#client()), { retries: 5 });
    if (lists.user?.['unreadNotifications'] !== entries) problems.push('unequal: unread notifications');
    return problems;
  }

  async #client(): Promise<Client> {
    return new Client((await this.#find()).url, this.person.cookie);
  }
}

/** The first rows that differ, of each kind. */
function differences(entities: Entities, lists: Entities): string[] {
  const problems: string[] = [];
  for (const kind of kinds) {
    const [own, listed] = [entities[kind], lists[kind]].map((rows) => rows.map((row) => JSON.stringify(row)));
    const [extra, missing] = [own?.find((row) => !listed?.includes(row)), listed?.find((row) => !own?.includes(row))];
    if (extra !== undefined || missing !== undefined) problems.push(`${extra} instead of ${missing}`);
  }
  const [own, listed] = [entities.user, lists.user].map((user) => JSON.stringify(user));
  return own === listed ? problems : [...problems, `${own} instead of ${listed}`];
}

/** Number of all entries with unread events. */
async function unreadEntries(client: Client): Promise<number> {
  for (let [count, after] = [0, null as string | null]; ;) {
    const { notifications } = await client.data<{ notifications: { nodes: object[]; pageInfo: PageInfo } }>(
      `query ($after: String) {
        notifications(unread: true, first: 500, after: $after) { nodes { at } pageInfo { hasNextPage endCursor } }
      }`,
      { after },
    );
    count += notifications.nodes.length;
    after = notifications.pageInfo.endCursor;
    if (!notifications.pageInfo.hasNextPage) return count;
  }
}
