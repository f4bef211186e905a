import { fromGraphql, type GraphqlErrorBody, TaskgateError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import { dataOf, type GraphqlResult } from './graphql.ts';
import { connectionError, type Http, type RequestOptions } from './http.ts';

/** A WebSocket class, such as a browser's `WebSocket` or the one of the package `ws`. */
export type WebSocketClass = new (url: string, protocols?: string | string[]) => object;

export type SubscribeOptions = Pick<RequestOptions, 'signal' | 'account'>;

/** Ends with its connection. */
export type Subscribe = (query: string, variables: unknown, options: SubscribeOptions) => AsyncGenerator<unknown, void>;

const [pingMs, responseTimeoutMs] = [15_000, 10_000];

/** Of a socket that this side ends: regularly, for an abort or a missing reply, and for a reply that nobody understands. */
const [normalClosure, terminated, badResponse] = [1000, 4499, 4004];

/** Close codes of the service (docs/realtime.md, How it ends). */
const closeCodes: Readonly<Record<number, string>> = {
  1001: 'GOING_AWAY',
  1013: 'RATE_LIMITED',
  4401: 'UNAUTHENTICATED',
  4403: 'FORBIDDEN',
};

type Socket = Pick<WebSocket, 'send' | 'close' | 'addEventListener'>;

/** A message of graphql-transport-ws. */
interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** Returns the data of a result, or undefined at the end of a subscription. @throws the reason of the end */
type Step = () => unknown;

const ended = () => undefined;
const failed = (error: unknown): Step => {
  return () => {
    throw error;
  };
};

/** Runs subscriptions over a socket, and closes it after the last one. @param onEnd called when it takes no others */
function runOver(socket: Socket, authorization: string | undefined, onEnd: () => void) {
  const running = new Map<string, (step: Step) => void>();
  /** Messages that wait for the acknowledgement of the connection. */
  let unsent: Message[] | undefined = [];
  let lastId = 0;
  let isEnded = false;
  /** Of the next ping, or of a missing reply. */
  let timer: ReturnType<typeof setTimeout> | undefined;
  const startTimer = (milliseconds: number, listener: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(listener, milliseconds);
  };
  const end = (code: number, step: Step = ended) => {
    isEnded = true;
    clearTimeout(timer);
    onEnd();
    for (const add of running.values()) add(step);
    running.clear();
    socket.close(code);
  };
  const fail = (code: number, cause?: unknown) => end(code, failed(socketError(cause)));
  const expectReply = () => startTimer(responseTimeoutMs, () => fail(terminated));
  const post = (message: Message) => socket.send(JSON.stringify(message));
  const send = (message: Message) => (unsent ? void unsent.push(message) : post(message));
  const leave = (id: string, code: number) => {
    if (!running.delete(id)) return;
    if (running.size === 0) end(code);
    else send({ type: 'complete', id });
  };
  const finish = (id: string, step: Step) => {
    running.get(id)?.(step);
    leave(id, normalClosure);
  };
  const pingLater = () =>
    startTimer(pingMs, () => {
      post({ type: 'ping' });
      expectReply();
    });
  const receivers: Readonly<Record<string, (id: string, payload: unknown) => void>> = {
    connection_ack() {
      for (const message of unsent ?? []) post(message);
      unsent = undefined;
      pingLater();
    },
    ping: (_id, payload) => post({ type: 'pong', payload }),
    pong: pingLater,
    next: (id, payload) => running.get(id)?.(() => dataOf(payload as GraphqlResult)),
    error: (id, payload) => finish(id, failed(fromGraphql(payload as GraphqlErrorBody[]))),
    complete: (id) => finish(id, ended),
  };
  socket.addEventListener('open', () => post({ type: 'connection_init', payload: authorization && { authorization } }));
  socket.addEventListener('message', ({ data }: MessageEvent<string>) => {
    // Messages may come until the other side closes too.
    if (isEnded) return;
    try {
      const { type, id = '', payload } = JSON.parse(data) as Message;
      receivers[type]?.(id, payload);
    } catch (error) {
      fail(badResponse, error);
    }
  });
  for (const type of ['error', 'close']) socket.addEventListener(type, (event) => fail(normalClosure, event));
  expectReply();

  async function* subscribe(payload: object, signal: AbortSignal | undefined) {
    const steps: Step[] = [];
    let wake = ended as () => void;
    const add = (step: Step) => {
      steps.push(step);
      wake();
    };
    const id = String((lastId += 1));
    running.set(id, add);
    send({ type: 'subscribe', id, payload });
    // Without a network, a socket may neither open nor close.
    const abort = () => {
      add(failed(signal?.reason));
      leave(id, terminated);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        const step = steps.shift();
        const data = step?.();
        if (data !== undefined) yield data;
        else if (step) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal?.removeEventListener('abort', abort);
      leave(id, normalClosure);
    }
  }
  return { subscribe, end };
}

/**
 * Subscriptions over one WebSocket (graphql-transport-ws), open while there are any.
 * @param authorization sent with the first message, because browsers cannot set the header
 */
export function overWebSocket(
  url: string,
  webSocket: WebSocketClass,
  authorization?: string,
): { subscribe: Subscribe; close(): void } {
  let current: ReturnType<typeof runOver> | undefined;
  return {
    async *subscribe(query, variables, { signal, account }) {
      signal?.throwIfAborted();
      const socket = () => new webSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws') as Socket;
      const connection = (current ??= runOver(socket(), authorization, () => {
        if (current === connection) current = undefined;
      }));
      yield* connection.subscribe({ query, variables, extensions: { account } }, signal);
    },
    close: () => current?.end(normalClosure),
  };
}

function socketError(cause: unknown): unknown {
  const { code = 0, reason } = (cause ?? {}) as { readonly code?: number; readonly reason?: string };
  const name = closeCodes[code];
  return name === undefined
    ? connectionError(cause)
    : new TaskgateError({ code: name, message: reason ?? name }, cause);
}

/** Subscriptions over Server-Sent Events, one request each (GraphQL over SSE, distinct connections mode). */
export const overEventStream = (http: Http): Subscribe =>
  async function* subscribe(query, variables, { signal, account }) {
    const controller = new AbortController();
    const combinedSignal = AbortSignal.any([controller.signal, ...(signal ? [signal] : [])]);
    try {
      const response = await http.open({
        method: 'POST',
        path: '/graphql',
        body: { query, variables, extensions: { account } },
        headers: { Accept: 'text/event-stream' },
        isSafe: true,
        signal: combinedSignal,
      });
      for await (const { event, data } of readEvents(response, signal)) {
        if (event === 'complete') return;
        if (event === 'next') yield dataOf(JSON.parse(data) as GraphqlResult, response.status);
      }
    } finally {
      controller.abort();
    }
  };
