import { WebSocket } from 'ws';
import type { Client } from '../kit/client.ts';
import { withTimeout } from '../kit/until.ts';

export interface ReceivedChange {
  cursor: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  taskId: string;
  changedFields: string[];
  at: string;
  task: ReceivedTask | null;
}

export interface ReceivedTask {
  id: string;
  title: string;
  completed: boolean;
  project: { id: string };
  section: { id: string } | null;
  parent: { id: string } | null;
  tags: { id: string }[];
}

export const taskFields = 'id title completed project { id } section { id } parent { id } tags { id }';
export const changeFields = `cursor kind taskId changedFields at task { ${taskFields} }`;

const subscription = `subscription ($after: String, $projectId: ID) {
  taskChanges(after: $after, projectId: $projectId) { ${changeFields} }
}`;

export interface Message {
  type: string;
  id?: string;
  payload?: unknown;
}

/** A queue of items that readers wait for. */
export class Inbox<Item> {
  readonly #of: string;
  readonly #items: Item[] = [];
  readonly #waiting: { resolve: (item: Item) => void; reject: (error: Error) => void }[] = [];
  #failure: Error | undefined;
  #count = 0;

  /** @param description its items, for the message of a timeout */
  constructor(description: string) {
    this.#of = description;
  }

  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#count += 1;
    const waiter = this.#waiting.shift();
    if (waiter) waiter.resolve(item);
    else this.#items.push(item);
  }

  fail(error: Error): void {
    this.#failure = error;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }

  /** Waits for the next item. @throws after a timeout */
  take(): Promise<Item> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    if (this.#failure) return Promise.reject(this.#failure);
    const promise = new Promise<Item>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    return withTimeout(`${this.#of}, after ${this.#count} that came`, promise);
  }
}

interface Handshake {
  headers?: Record<string, string>;
  protocol?: string;
}

export class Socket {
  readonly messages = new Inbox<Message>('a message of the socket');
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(url: string, headers: Record<string, string>, protocol: string) {
    this.socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, protocol, { headers });
    this.socket.on('message', (data: Buffer) => this.messages.add(JSON.parse(data.toString('utf8')) as Message));
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => {
        this.messages.fail(new Error(`the socket was closed: ${code} ${reason.toString()}`));
        resolve({ code, reason: reason.toString() });
      });
    });
  }

  /** Connects. @throws with the status in the message, if the upgrade is refused */
  static async open(
    url: string,
    cookie: string | undefined,
    { headers = {}, protocol = 'graphql-transport-ws' }: Handshake = {},
  ): Promise<Socket> {
    const own = new Socket(url, { ...(cookie && { Cookie: cookie }), ...headers }, protocol);
    await new Promise((resolve, reject) => own.socket.once('open', resolve).once('error', reject));
    return own;
  }

  static async ready(url: string, cookie: string | undefined, handshake?: Handshake): Promise<Socket> {
    const socket = await Socket.open(url, cookie, handshake);
    socket.send({ type: 'connection_init' });
    const { type } = await socket.messages.take();
    if (type !== 'connection_ack') throw new Error(`expected connection_ack, got ${type}`);
    return socket;
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message));
  }

  async run(query: string, variables: object = {}, extensions?: object): Promise<Message> {
    const id = crypto.randomUUID();
    this.send({ type: 'subscribe', id, payload: { query, variables, extensions } });
    const message = await this.messages.take();
    if (message.type === 'next') await this.messages.take();
    return message;
  }

  close(): void {
    this.socket.close();
  }
}

export interface StreamOptions {
  after?: string | null;
  projectId?: string;
}

export class Stream {
  readonly changes = new Inbox<ReceivedChange>('a change of the subscription');
  readonly socket: Socket;
  /** Settles when the subscription ends, with the code of its error or `complete`. */
  readonly ended: Promise<string>;

  private constructor(socket: Socket) {
    this.socket = socket;
    this.ended = readSubscription<{ taskChanges: ReceivedChange }, ReceivedChange>(
      socket,
      this.changes,
      (data) => data.taskChanges,
    );
  }

  /** Begins. Once it returns, the subscription receives every later change. */
  static async open(
    { url }: { url: string },
    user: Client,
    { after = null, projectId }: StreamOptions = {},
  ): Promise<Stream> {
    const socket = await Socket.ready(url, user.cookie);
    const stream = new Stream(socket);
    // Without a cursor, the subscription would begin only when the service reads the message.
    const from = after ?? (await cursorOfNow(user));
    socket.send({
      type: 'subscribe',
      id: '1',
      payload: { query: subscription, variables: { after: from, projectId } },
    });
    return stream;
  }

  take = () => this.changes.take();

  async takeMany(count: number): Promise<ReceivedChange[]> {
    const received: ReceivedChange[] = [];
    while (received.length < count) received.push(await this.take());
    return received;
  }

  close(): void {
    this.socket.close();
  }
}

/** @returns the code of the error or the close code that ended it, or `complete` */
export async function readSubscription<Data, Item>(
  socket: Socket,
  inbox: Inbox<Item>,
  itemOf: (data: Data) => Item,
): Promise<string> {
  const reason = await readUntilEnd<Data>(socket, (data) => inbox.add(itemOf(data)));
  inbox.fail(new Error(`the subscription ended: ${reason}`));
  return reason;
}

async function readUntilEnd<Data>(socket: Socket, onData: (data: Data) => void): Promise<string> {
  for (;;) {
    const message = await socket.messages.take().catch(() => undefined);
    if (!message) return String((await socket.closed).code);
    if (message.type === 'complete') return 'complete';
    if (message.type === 'error') return codeOf(message.payload);
    if (message.type !== 'next') continue;
    const { data, errors } = message.payload as { data?: Data | null; errors?: unknown[] };
    if (errors) return codeOf(errors);
    if (data) onData(data);
  }
}

const codeOf = (errors: unknown) => (errors as { extensions: { code: string } }[])[0]?.extensions.code ?? '';

export async function cursorOfNow(user: Client): Promise<string> {
  return (await user.data<{ changes: { cursor: string } }>('{ changes { cursor } }')).changes.cursor;
}

export async function poll(
  user: Client,
  after: string,
  first = 100,
): Promise<{ nodes: ReceivedChange[]; cursor: string; hasNextPage: boolean }> {
  const { changes } = await user.data<{ changes: { nodes: ReceivedChange[]; cursor: string; hasNextPage: boolean } }>(
    `query ($after: String, $first: Int) { changes(after: $after, first: $first) { nodes { ${changeFields} } cursor hasNextPage } }`,
    { after, first },
  );
  return changes;
}
