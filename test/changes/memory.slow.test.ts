import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Service, startService } from '../kit/service.ts';
import { usedBytes } from '../kit/heap.ts';
import { signUp, type User } from '../kit/users.ts';
import { EventStream } from './sse.ts';
import { Socket } from './stream.ts';
import { until } from '../kit/until.ts';
import type { SubscriptionBounds } from '../../packages/execution/subscription-limits.ts';

const mebibyte = 1024 * 1024;
const query = 'subscription { taskChanges { taskId } }';
const filtered = 'subscription ($after: String) { taskChanges(after: $after) { taskId } }';

let service: Service;
let anna: User;
let socket: Socket;
beforeAll(async () => {
  service = await startService({ RATE_LIMITS: 'on' });
});
afterAll(() => service.close());
beforeEach(async () => {
  anna = await signUp(service);
  socket = await Socket.ready(service.url, anna.cookie);
});
let defaults: SubscriptionBounds;
beforeAll(() => void (defaults = { ...service.services.subscriptions.bounds }));
afterEach(() => {
  socket.close();
  Object.assign(service.services.subscriptions.bounds, defaults);
});

const subscribe = (id: number, payload: object) => socket.send({ type: 'subscribe', id: String(id), payload });
const untilOpen = (count: number) =>
  until(
    `${count} subscriptions are open`,
    () => service.services.subscriptions.usageOf(anna.id).subscriptions === count,
  );

describe('the memory of a subscription', () => {
  test('holds only its document and variables while it is open', async () => {
    const before = usedBytes();
    for (let id = 0; id < 60; id += 1) {
      subscribe(id, { query, variables: { unknown: `${id}`.padEnd(900_000) }, extensions: { unknown: [id] } });
      // One after the other: parsing everything at once would block the event loop.
      await untilOpen(id + 1);
    }
    expect(usedBytes() - before).toBeLessThan(15 * mebibyte);
  });

  test('is bounded for all subscriptions of a user together', async () => {
    subscribe(1, { query, variables: { unknown: 'x'.repeat(100_000) } });
    await untilOpen(1);
    const { bytes } = service.services.subscriptions.usageOf(anna.id);
    expect(bytes).toBeLessThan(20_000);

    service.services.subscriptions.bounds.bytes = 3 * bytes;
    subscribe(2, { query: filtered, variables: { after: 'x'.repeat(100_000) } });
    expect(await socket.messages.take()).toMatchObject({
      payload: { errors: [{ extensions: { code: 'RATE_LIMITED' } }] },
    });
    const ssePath = `/graphql?query=${encodeURIComponent(query)}`;
    const second = await EventStream.open(service, anna, ssePath, { 'x-graphql-yoga-csrf': '1' });
    await untilOpen(2);
    expect(service.services.subscriptions.usageOf(anna.id).bytes).toBe(2 * bytes);
    second.close();
    subscribe(1, {});
    await socket.closed;
    await untilOpen(0);
  });
});
