import type { Client } from '../kit/client.ts';
import { Inbox, readSubscription, Socket } from '../changes/stream.ts';

export interface Row {
  id: string;
  [field: string]: unknown;
}

export interface ReceivedBatch {
  cursor: string;
  full: boolean;
  hasMore: boolean;
  user: Row | null;
  workspaces: Row[];
  projects: Row[];
  sections: Row[];
  tags: Row[];
  tasks: Row[];
  comments: Row[];
  deleted: { type: string; id: string }[];
  mutations: string[];
}

const user =
  'id name email image unreadNotifications preferences { reminderBefore dailyDigest } invitations { workspaceName }';
const workspace = 'id name role memberships { member { id name email image } role }';
const project = 'id name workspaceId slug isDefault viewMode';
const section = 'id name sortKey projectId';
const tag = 'id name color';
const task =
  'id title description dueDate completed completedAt sortKey projectId sectionId parentId assigneeIds createdById updatedAt tags { id } claim { fence client since holder { id } }';
const comment = 'id taskId authorId text createdAt editedAt';

const batchFields = `
  cursor full hasMore user { ${user} } workspaces { ${workspace} } projects { ${project} } sections { ${section} }
  tags { ${tag} } tasks { ${task} } comments { ${comment} } deleted { type id } mutations`;

const syncQuery = `query ($after: String, $first: Int) { sync(after: $after, first: $first) { ${batchFields} } }`;
export const syncSubscription = `subscription ($after: String) { sync(after: $after) { ${batchFields} } }`;
/** No task of a test has more comments. */
const listQuery = `query ($after: String) {
  viewer { ${user} } workspaces { ${workspace} } projects { ${project} sections { ${section} } } tags { ${tag} }
  tasks(first: 500, after: $after) { nodes { ${task} comments(first: 100) { nodes { ${comment} } } } pageInfo { hasNextPage endCursor } }
}`;

export const kinds = ['workspaces', 'projects', 'sections', 'tags', 'tasks', 'comments'] as const;
type Kind = (typeof kinds)[number];
export type Entities = { user: Row | null } & Record<Kind, Row[]>;

const byId = (rows: Iterable<Row>) => [...rows].sort((a, b) => (a.id < b.id ? -1 : 1));

/** A change of a tag does not change its tasks, so the order of a task's tags is ignored. */
const withTagsById = (tasks: Iterable<Row>) =>
  byId(tasks).map((task) => ({ ...task, tags: byId(task['tags'] as Row[]) }));

export const fetchBatch = async (client: Client, after: string | null, first?: number): Promise<ReceivedBatch> =>
  (await client.data<{ sync: ReceivedBatch }>(syncQuery, { after, first })).sync;

export async function listEntities(client: Client): Promise<Entities> {
  const tasks: Row[] = [];
  const comments: Row[] = [];
  for (let after: string | null = null; ;) {
    const page: {
      viewer: Row;
      workspaces: Row[];
      projects: (Row & { sections: Row[] })[];
      tags: Row[];
      tasks: { nodes: (Row & { comments: { nodes: Row[] } })[]; pageInfo: { hasNextPage: boolean; endCursor: string } };
    } = await client.data(listQuery, { after });
    tasks.push(...page.tasks.nodes.map(({ comments: _, ...rest }) => rest));
    comments.push(...page.tasks.nodes.flatMap((row) => row.comments.nodes));
    after = page.tasks.pageInfo.endCursor;
    if (page.tasks.pageInfo.hasNextPage) continue;
    return {
      user: page.viewer,
      workspaces: byId(page.workspaces),
      projects: byId(page.projects.map(({ sections: _, ...rest }) => rest)),
      sections: byId(page.projects.flatMap(({ sections }) => sections)),
      tags: byId(page.tags),
      tasks: withTagsById(tasks),
      comments: byId(comments),
    };
  }
}

/** A copy of the visible entities. It applies batches as the documentation of `sync` says. */
export class Replica {
  cursor: string | null = null;
  #user: Row | null = null;
  #rows = new Map<Kind, Map<string, Row>>();

  constructor() {
    this.#drop();
  }

  find(id: string): Row | undefined {
    for (const rows of this.#rows.values()) {
      const row = rows.get(id);
      if (row) return row;
    }
    return undefined;
  }

  get entities(): Entities {
    const entities = Object.fromEntries(kinds.map((kind) => [kind, byId(this.#of(kind).values())])) as Record<
      Kind,
      Row[]
    >;
    return { user: this.#user, ...entities, tasks: withTagsById(entities.tasks) };
  }

  apply(batch: ReceivedBatch): void {
    if (batch.full) this.#drop();
    this.#user = batch.user ?? this.#user;
    for (const kind of kinds) for (const row of batch[kind]) this.#of(kind).set(row.id, row);
    for (const { type, id } of batch.deleted) this.#bury(type, id);
    this.cursor = batch.cursor;
  }

  async pull(client: Client, first?: number): Promise<ReceivedBatch[]> {
    const batches: ReceivedBatch[] = [];
    for (;;) {
      const batch = await fetchBatch(client, this.cursor, first);
      this.apply(batch);
      batches.push(batch);
      if (!batch.hasMore) return batches;
    }
  }

  #of(kind: Kind): Map<string, Row> {
    const rows = this.#rows.get(kind);
    if (!rows) throw new Error(`a replica holds no ${kind}`);
    return rows;
  }

  #drop(): void {
    this.#rows = new Map(kinds.map((kind) => [kind, new Map<string, Row>()]));
  }

  #bury(type: string, id: string): void {
    const kind = `${type.toLowerCase()}s` as Kind;
    if (!this.#of(kind).delete(id)) return;
    if (type === 'WORKSPACE') this.#buryAll('PROJECT', 'projects', 'workspaceId', id);
    if (type === 'PROJECT') this.#buryAll('SECTION', 'sections', 'projectId', id);
    if (type === 'PROJECT') this.#buryAll('TASK', 'tasks', 'projectId', id);
    if (type === 'TASK') this.#buryAll('TASK', 'tasks', 'parentId', id);
    if (type === 'TASK') this.#buryAll('COMMENT', 'comments', 'taskId', id);
    const tasks = this.#of('tasks');
    for (const row of tasks.values()) {
      if (type === 'SECTION' && row['sectionId'] === id) tasks.set(row.id, { ...row, sectionId: null });
      const tags = row['tags'] as Row[];
      if (type === 'TAG') tasks.set(row.id, { ...row, tags: tags.filter((each) => each.id !== id) });
    }
  }

  #buryAll(type: string, kind: Kind, field: string, id: string): void {
    for (const row of [...this.#of(kind).values()]) if (row[field] === id) this.#bury(type, row.id);
  }
}

export class SyncStream {
  readonly batches = new Inbox<ReceivedBatch>('a batch of the subscription');
  readonly socket: Socket;
  readonly ended: Promise<string>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.ended = readSubscription<{ sync: ReceivedBatch }, ReceivedBatch>(socket, this.batches, ({ sync }) => sync);
  }

  static async open({ url }: { url: string }, client: Client, after: string | null = null): Promise<SyncStream> {
    const socket = await Socket.ready(url, client.cookie);
    const stream = new SyncStream(socket);
    socket.send({ type: 'subscribe', id: '1', payload: { query: syncSubscription, variables: { after } } });
    return stream;
  }

  async feed(replica: Replica, until: (entities: Entities) => boolean): Promise<ReceivedBatch[]> {
    const batches: ReceivedBatch[] = [];
    do {
      const batch = await this.batches.take();
      replica.apply(batch);
      batches.push(batch);
    } while (!until(replica.entities));
    return batches;
  }

  close(): void {
    this.socket.close();
  }
}
