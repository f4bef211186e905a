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

type Socket = EventTarget & Pick<WebSocket, 'send' | 'close'>;

/** A message of graphql-transport-ws. */
interface Message {
  readonly type: string;
  readonly id?: string;
  readonly payload?: unknown;
}

/** The results of a subscription, then its end. */
class Results {
  readonly #received: GraphqlResult[] = [];
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  push(result: GraphqlResult): void {
    this.#received.push(result);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#end ??= { error };
    this.#wake();
  }

  async *read(): AsyncGenerator<unknown, void> {
    for (;;) {
      const result = this.#received.shift();
      if (result) yield dataOf(result);
      else if (this.#end?.error) throw this.#end.error as Error;
      else if (this.#end) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

/** A socket with its running subscriptions. It opens with the first one and closes after the last. */
class SocketConnection {
  readonly #socket: Socket;
  readonly #running = new Map<string, Results>();
  readonly #onEnd: () => void;
  /** Messages that wait for the acknowledgement of the connection. */
  #unsent: Message[] | undefined = [];
  #lastId = 0;
  /** Of the next ping, or of a missing reply. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: object, authorization: string | undefined, onEnd: () => void) {
    this.#socket = socket as Socket;
    this.#onEnd = onEnd;
    this.#expectReply();
    const listen = (type: string, listener: (event: Event) => void) => this.#socket.addEventListener(type, listener);
    listen('open', () => this.#post({ type: 'connection_init', payload: authorization && { authorization } }));
    listen('message', (event) => {
      try {
        this.#receive(JSON.parse((event as MessageEvent<string>).data) as Message);
      } catch (error) {
        this.end(badResponse, socketError(error));
      }
    });
    for (const type of ['error', 'close']) listen(type, (event) => this.end(normalClosure, socketError(event)));
  }

  async *subscribe(payload: object, signal: AbortSignal | undefined): AsyncGenerator<unknown, void> {
    const [id, results] = [String((this.#lastId += 1)), new Results()];
    this.#running.set(id, results);
    this.#send({ type: 'subscribe', id, payload });
    // Without a network, a socket may neither open nor close.
    const abort = () => {
      results.end(signal?.reason);
      this.#leave(id, terminated);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      yield* results.read();
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#leave(id, normalClosure);
    }
  }

  /** @param error of the running subscriptions */
  end(code: number, error?: unknown): void {
    clearTimeout(this.#timer);
    this.#onEnd();
    for (const results of this.#running.values()) results.end(error);
    this.#running.clear();
    this.#socket.close(code);
  }

  #leave(id: string, code: number): void {
    if (!this.#running.delete(id)) return;
    if (this.#running.size === 0) this.end(code);
    else this.#send({ type: 'complete', id });
  }

  #send(message: Message): void {
    if (this.#unsent) this.#unsent.push(message);
    else this.#post(message);
  }

  #post(message: Message): void {
    this.#socket.send(JSON.stringify(message));
  }

  #receive({ type, id = '', payload }: Message): void {
    if (type === 'ping') this.#post({ type: 'pong', payload });
    if (type === 'connection_ack') {
      for (const message of this.#unsent ?? []) this.#post(message);
      this.#unsent = undefined;
    }
    if (type === 'connection_ack' || type === 'pong') {
      this.#startTimer(pingMs, () => {
        this.#post({ type: 'ping' });
        this.#expectReply();
      });
    }
    if (type === 'next') this.#running.get(id)?.push(payload as GraphqlResult);
    if (type === 'error') this.#running.get(id)?.end(fromGraphql(payload as GraphqlErrorBody[]));
    if (type === 'complete') this.#running.get(id)?.end();
    if (type === 'error' || type === 'complete') this.#leave(id, normalClosure);
  }

  #expectReply(): void {
    this.#startTimer(responseTimeoutMs, () => this.end(terminated, socketError(undefined)));
  }

  #startTimer(milliseconds: number, listener: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(listener, milliseconds);
  }
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
  let current: SocketConnection | undefined;
  function connect(): SocketConnection {
    const socket = new webSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
    const connection = new SocketConnection(socket, authorization, () => {
      if (current === connection) current = undefined;
    });
    return connection;
  }
  return {
    async *subscribe(query, variables, { signal, account }) {
      signal?.throwIfAborted();
      current ??= connect();
      yield* current.subscribe({ query, variables, extensions: { account } }, signal);
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
