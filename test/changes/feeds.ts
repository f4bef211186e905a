import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { EventStream } from './sse.ts';
import { type ReceivedChange, Stream } from './stream.ts';

/** A user who follows changes. REST names the inbox by null. */
export interface Reader {
  cookie: string;
  inboxId: string;
}

/** The changes after a cursor, by one of the transports of clients. */
export interface Feed<Item> {
  /** Returns the next change. @throws once the feed has ended */
  take(): Promise<Item>;
  disconnect(): void;
}

export type OpenFeed<Item, Cursor = string> = (
  service: { url: string },
  reader: Reader,
  after: Cursor,
) => Promise<Feed<Item>>;

interface RestChange {
  cursor: string;
  kind: string;
  taskId: string;
  changedFields: string[];
  at: string;
  task: RestTask | null;
}

interface RestTask {
  id: string;
  title: string;
  completed: boolean;
  projectId: string | null;
  projectSectionId: string | null;
  parentId: string | null;
  tags: { id: string }[];
}

const toReceivedChange = ({ task, kind, ...fields }: RestChange, { inboxId }: Reader): ReceivedChange => ({
  ...fields,
  kind: kind.toUpperCase() as ReceivedChange['kind'],
  task: task && {
    id: task.id,
    title: task.title,
    completed: task.completed,
    project: { id: task.projectId ?? inboxId },
    section: task.projectSectionId === null ? null : { id: task.projectSectionId },
    parent: task.parentId === null ? null : { id: task.parentId },
    tags: task.tags.map(({ id }) => ({ id })),
  },
});

const openWebSocketFeed: OpenFeed<ReceivedChange> = async (service, { cookie }, after) => {
  const stream = await Stream.open(service, new Client(service.url, cookie), { after });
  return { take: stream.take, disconnect: () => stream.socket.socket.terminate() };
};

const openEventFeed: OpenFeed<ReceivedChange> = async (service, reader, after) => {
  const stream = await EventStream.open(service, reader, '/api/v2/events', { 'Last-Event-ID': after });
  if (stream.status !== 200) throw new Error(`the stream of events answers ${stream.status}: ${await stream.body}`);
  return {
    async take() {
      const { event, data = '' } = await stream.take();
      if (event !== 'task') throw new Error(`the stream of events has ended: ${data}`);
      return toReceivedChange(JSON.parse(data) as RestChange, reader);
    },
    disconnect: stream.close,
  };
};

/** Pause after a poll without changes, in milliseconds. */
const pollMs = 100;

const openPollingFeed: OpenFeed<ReceivedChange> = ({ url }, reader, after) => {
  const client = new Client(url, reader.cookie);
  const changes: RestChange[] = [];
  let [cursor, isDisconnected] = [after, false];
  const fetchMore = async () => {
    const path = `/api/v2/changes?after=${encodeURIComponent(cursor)}`;
    const { status, body } = await client.get<{ changes: RestChange[]; cursor: string }>(path);
    if (status !== 200) throw new Error(`the changes answer ${status}`);
    cursor = body.cursor;
    changes.push(...body.changes);
  };
  return Promise.resolve({
    async take() {
      for (;;) {
        if (isDisconnected) throw new Error('the polling was given up');
        const change = changes.shift();
        if (change) return toReceivedChange(change, reader);
        await fetchMore();
        if (changes.length === 0) await pause(pollMs);
      }
    },
    disconnect: () => void (isDisconnected = true),
  });
};

export const feeds = { WebSocket: openWebSocketFeed, SSE: openEventFeed, polling: openPollingFeed } as const;
