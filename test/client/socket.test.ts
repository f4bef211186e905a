import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Client, createClient } from 'taskgate-client';

/** The other side of the socket. */
class FakeSocket extends EventTarget {
  static readonly opened: FakeSocket[] = [];
  readonly sent: { type: string; id?: string; payload?: unknown }[] = [];
  readonly closed: number[] = [];

  constructor() {
    super();
    FakeSocket.opened.push(this);
  }
  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string });
  }
  close(code: number): void {
    this.closed.push(code);
  }
  open(): void {
    this.dispatchEvent(new Event('open'));
    this.receive({ type: 'connection_ack' });
  }
  receive(message: object | string): void {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
  ends(code: number): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' }));
  }
  get types(): string[] {
    return this.sent.map(({ type }) => type);
  }
}

const next = (id: string, full: boolean) => ({ type: 'next', id, payload: { data: { sync: { full } } } });

describe('subscribe() over a WebSocket', () => {
  let client: Client;
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    FakeSocket.opened.length = 0;
    client = createClient({ url: 'https://tasks.example.com', webSocket: FakeSocket });
  });
  afterEach(() => {
    client.close();
    jest.useRealTimers();
  });

  const subscribe = () => client.subscribe('subscription { sync { full } }');
  const socket = (index = 0): FakeSocket => {
    const found = FakeSocket.opened[index];
    if (!found) throw new Error(`there is no socket ${index}`);
    return found;
  };

  test('sends subscriptions once the service has acknowledged the connection, over one socket', async () => {
    const [first, second] = [subscribe(), subscribe()];
    const results = Promise.all([first.next(), second.next()]);
    expect(socket().sent).toEqual([]);
    socket().open();
    expect(socket().types).toEqual(['connection_init', 'subscribe', 'subscribe']);
    for (const full of [false, true]) socket().receive(next(full ? '1' : '2', full));
    expect((await results).map(({ value }) => value)).toEqual([{ sync: { full: true } }, { sync: { full: false } }]);
    await first.return();
    expect(socket().sent.at(-1)).toEqual({ type: 'complete', id: '1' });
    expect(socket().closed).toEqual([]);
    await second.return();
    expect(socket().closed).toEqual([1000]);
    void subscribe().next();
    expect(FakeSocket.opened).toHaveLength(2);
  });

  test.each([
    [1001, 'GOING_AWAY'],
    [1013, 'RATE_LIMITED'],
    [4401, 'UNAUTHENTICATED'],
    [4403, 'FORBIDDEN'],
    [1006, 'NETWORK_ERROR'],
  ])('returns all results before the close %i, which is the error %s', async (status, code) => {
    const events = subscribe();
    const result = events.next();
    socket().open();
    socket().receive(next('1', true));
    socket().receive(next('1', false));
    socket().ends(status);
    expect(await result).toMatchObject({ value: { sync: { full: true } } });
    expect(await events.next()).toMatchObject({ value: { sync: { full: false } } });
    await expect(events.next()).rejects.toMatchObject({ code });
    void subscribe().next();
    expect(FakeSocket.opened).toHaveLength(2);
  });

  test('ends a subscription by the errors of the service, and goes on with the others', async () => {
    const [refused, ended, running] = [subscribe(), subscribe(), subscribe()];
    const [error, end, result] = [refused.next(), ended.next(), running.next()];
    socket().open();
    const errors = [{ message: 'Forbidden', extensions: { code: 'FORBIDDEN' } }];
    socket().receive({ type: 'error', id: '1', payload: errors });
    socket().receive({ type: 'complete', id: '2' });
    await expect(error).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'Forbidden' });
    expect(await end).toEqual({ done: true, value: undefined });
    socket().receive(next('3', true));
    expect(await result).toMatchObject({ done: false });
  });

  test('gives up a connection that is not acknowledged in 10 seconds', async () => {
    const result = expect(subscribe().next()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    jest.advanceTimersByTime(9_999);
    expect(socket().closed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(socket().closed).toEqual([4499]);
    await result;
  });

  test('sends a ping 15 seconds after each reply, and gives up the connection 10 seconds after a ping without one', async () => {
    const result = expect(subscribe().next()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    socket().open();
    for (let count = 1; count <= 3; count += 1) {
      jest.advanceTimersByTime(15_000);
      expect(socket().types.filter((type) => type === 'ping')).toHaveLength(count);
      if (count < 3) socket().receive({ type: 'pong' });
    }
    jest.advanceTimersByTime(9_999);
    expect(socket().closed).toEqual([]);
    jest.advanceTimersByTime(1);
    expect(socket().closed).toEqual([4499]);
    await result;
  });

  test('replies to a ping with its payload', () => {
    void subscribe().next();
    socket().open();
    socket().receive({ type: 'ping', payload: { at: 1 } });
    expect(socket().sent.at(-1)).toEqual({ type: 'pong', payload: { at: 1 } });
  });

  test('closes the connection at a message that it does not understand', async () => {
    const result = expect(subscribe().next()).rejects.toMatchObject({ code: 'NETWORK_ERROR' });
    socket().open();
    socket().receive('{');
    await result;
    expect(socket().closed).toEqual([4004]);
  });

  test.each(['connection_ack', 'pong', 'ping'])('ignores a %s that comes after the end', (type) => {
    void subscribe().next();
    socket().open();
    const { length } = socket().sent;
    client.close();
    socket().receive({ type });
    jest.advanceTimersByTime(60_000);
    expect(socket().sent).toHaveLength(length);
    expect(socket().closed).toEqual([1000]);
  });

  test('ends without an error if the client is closed', async () => {
    const result = subscribe().next();
    socket().open();
    client.close();
    expect(await result).toEqual({ done: true, value: undefined });
    expect(socket().closed).toEqual([1000]);
  });
});
