import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { EventStream } from './sse.ts';
import { type SeenChange, Stream } from './stream.ts';

/** A user who follows changes. REST names the inbox by null. */
export interface Reader {
  cookie: string;
  inboxId: string;
}

/** The changes after a cursor, by one of the transports of clients. */
export interface Feed<Item> {
  /** Returns the next change. @throws once the feed has ended */
  take(): Promise<Item>;
  cut(): void;
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
  task: RestSeenTask | null;
}

interface RestSeenTask {
  id: string;
  title: string;
  completed: boolean;
  projectId: string | null;
  projectSectionId: string | null;
  parentId: string | null;
  tags: { id: string }[];
}

const toSeen = ({ task, kind, ...same }: RestChange, { inboxId }: Reader): SeenChange => ({
  ...same,
  kind: kind.toUpperCase() as SeenChange['kind'],
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

const overWebSocket: OpenFeed<SeenChange> = async (service, { cookie }, after) => {
  const stream = await Stream.open(service, new Client(service.url, cookie), { after });
  return { take: stream.take, cut: () => stream.socket.socket.terminate() };
};

const overEvents: OpenFeed<SeenChange> = async (service, reader, after) => {
  const stream = await EventStream.open(service, reader, '/api/v2/events', { 'Last-Event-ID': after });
  if (stream.status !== 200) throw new Error(`the stream of events answers ${stream.status}: ${await stream.body}`);
  return {
    async take() {
      const { event, data = '' } = await stream.take();
      if (event !== 'task') throw new Error(`the stream of events has ended: ${data}`);
      return toSeen(JSON.parse(data) as RestChange, reader);
    },
    cut: stream.close,
  };
};

/** Pause after a poll without changes, in milliseconds. */
const pollMs = 100;

const byPolling: OpenFeed<SeenChange> = ({ url }, reader, after) => {
  const client = new Client(url, reader.cookie);
  const changes: RestChange[] = [];
  let [cursor, isCut] = [after, false];
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
        if (isCut) throw new Error('the polling was given up');
        const change = changes.shift();
        if (change) return toSeen(change, reader);
        await fetchMore();
        if (changes.length === 0) await pause(pollMs);
      }
    },
    cut: () => void (isCut = true),
  });
};

export const feeds = { WebSocket: overWebSocket, SSE: overEvents, polling: byPolling } as const;
