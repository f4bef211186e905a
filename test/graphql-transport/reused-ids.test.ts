import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { cursorOfNow, type Message, Socket } from '../changes/stream.ts';
import { openLockHolder, untilWaiting } from '../kit/locks.ts';
import { makeTask } from '../kit/make.ts';
import type { Service } from '../kit/service.ts';
import { sharedService } from '../kit/shared-service.ts';
import { until } from '../kit/until.ts';
import { signUp, type User } from '../kit/users.ts';

let service: Service;
beforeAll(async () => {
  service = await sharedService();
});

let anna: User;
let socket: Socket;
beforeEach(async () => {
  anna = await signUp(service);
  socket = await Socket.ready(service.url, anna.cookie);
});

const query = 'subscription { taskChanges { taskId } }';
const subscribe = (id: string, payload: object = { query }) => socket.send({ type: 'subscribe', id, payload });
const complete = (id: string) => socket.send({ type: 'complete', id });
const untilOpen = (count: number) =>
  until(
    `${count} subscriptions are open`,
    () => service.services.subscriptions.usageOf(anna.id).subscriptions === count,
  );

async function messagesUntilNow(): Promise<Message[]> {
  subscribe('now', { query: '{ tagCount }' });
  const messages: Message[] = [];
  for (;;) {
    const message = await socket.messages.take();
    if (message.id !== 'now') messages.push(message);
    else if (message.type === 'complete') return messages;
  }
}

describe('a reused id of a WebSocket', () => {
  test('has one subscription, which its `complete` ends', async () => {
    subscribe('1');
    complete('1');
    subscribe('1');
    subscribe('witness');
    await untilOpen(2);
    const { id: taskId } = await makeTask(anna);
    const payload = { data: { taskChanges: { taskId } } };
    const messages = [await socket.messages.take(), await socket.messages.take()];
    expect(messages).toEqual(expect.arrayContaining(['1', 'witness'].map((id) => ({ id, type: 'next', payload }))));
    complete('1');
    await untilOpen(1);
    await makeTask(anna);
    expect(await socket.messages.take()).toMatchObject({ id: 'witness' });
    expect(await messagesUntilNow()).toEqual([]);
    socket.close();
    await untilOpen(0);
  });

  test('sends nothing of its former subscription', async () => {
    const after = await cursorOfNow(anna);
    await makeTask(anna);
    const lockHolder = await openLockHolder(service);
    try {
      await lockHolder.sql('LOCK TABLE task_tags');
      subscribe('1', { query: `subscription { taskChanges(after: "${after}") { task { tags { name } } } }` });
      await untilWaiting(service, 1);
      complete('1');
      subscribe('1');
      await until('the first one has ended', () => service.services.changes.subscriptions === 1);
      await untilOpen(1);
    } finally {
      await lockHolder.release();
    }
    const { id: taskId } = await makeTask(anna);
    expect(await socket.messages.take()).toMatchObject({ id: '1', payload: { data: { taskChanges: { taskId } } } });
    expect(await messagesUntilNow()).toEqual([]);
    socket.close();
  });

  test('has only the response to its last query', async () => {
    for (let round = 0; round < 5; round += 1) {
      subscribe('1', { query: `{ tasks(first: ${round + 1}) { totalCount } }` });
      complete('1');
    }
    subscribe('1', { query: '{ viewer { id } }' });
    const payload = { data: { viewer: { id: anna.id } } };
    expect(await socket.messages.take()).toEqual({ id: '1', type: 'next', payload });
    expect(await socket.messages.take()).toEqual({ id: '1', type: 'complete' });
    expect(await messagesUntilNow()).toEqual([]);
    socket.close();
  });

  test('is free once its operation has completed or been refused', async () => {
    for (const [document, type] of [
      ['{ tagCount }', 'complete'],
      ['{ nonsense }', 'error'],
      ['{ tagCount }', 'complete'],
    ] as const) {
      subscribe('1', { query: document });
      let message = await socket.messages.take();
      if (message.type === 'next') message = await socket.messages.take();
      expect(message).toMatchObject({ id: '1', type });
    }
    socket.close();
  });

  test('closes the socket with 4409 while its operation runs', async () => {
    subscribe('1"\n');
    subscribe('1"\n');
    expect(await socket.closed).toEqual({ code: 4409, reason: 'Subscriber for 1"\n already exists' });
    await untilOpen(0);
  });
});
