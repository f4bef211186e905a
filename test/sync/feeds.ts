import type { OpenFeed } from '../changes/feeds.ts';
import { EventStream } from '../changes/sse.ts';
import { Client } from '../kit/client.ts';
import { pause } from '../kit/pause.ts';
import { fetchBatch, type ReceivedBatch, SyncStream, syncSubscription } from './replica.ts';

type OpenSync = OpenFeed<ReceivedBatch, string | null>;

const openWebSocketFeed: OpenSync = async (service, { cookie }, after) => {
  const stream = await SyncStream.open(service, new Client(service.url, cookie), after);
  return { take: () => stream.batches.take(), disconnect: () => stream.socket.socket.terminate() };
};

const openEventFeed: OpenSync = async (service, reader, after) => {
  const operation = new URLSearchParams({ query: syncSubscription, variables: JSON.stringify({ after }) });
  const headers = { 'x-graphql-yoga-csrf': '1' };
  const stream = await EventStream.open(service, reader, `/graphql?${operation.toString()}`, headers);
  if (stream.status !== 200) throw new Error(`the subscription answers ${stream.status}: ${await stream.body}`);
  return {
    async take() {
      const { event, data = '' } = await stream.take();
      const result = event === 'next' ? (JSON.parse(data) as { data?: { sync: ReceivedBatch } | null }) : {};
      if (!result.data) throw new Error(`the subscription has ended: ${data}`);
      return result.data.sync;
    },
    disconnect: stream.close,
  };
};

/** Pause after a poll without changes, in milliseconds. */
const pollMs = 100;
/** Entities in its batches: few, to be often in the middle. */
const polledEntities = 40;

const openPollingFeed: OpenSync = ({ url }, { cookie }, after) => {
  const client = new Client(url, cookie);
  let [cursor, isDisconnected] = [after, false];
  return Promise.resolve({
    async take() {
      for (;;) {
        const batch = await fetchBatch(client, cursor, polledEntities);
        if (isDisconnected) throw new Error('the polling was given up');
        const isNew = batch.cursor !== cursor;
        cursor = batch.cursor;
        if (isNew) return batch;
        await pause(pollMs);
      }
    },
    disconnect: () => void (isDisconnected = true),
  });
};

export const syncFeeds = { WebSocket: openWebSocketFeed, SSE: openEventFeed, polling: openPollingFeed } as const;
