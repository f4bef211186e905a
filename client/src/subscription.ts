import { createClient as createSocketClient, type Client as SocketClient } from 'graphql-ws/client';
import { fromGraphql, type GraphqlErrorBody, TaskgateError } from './errors.ts';
import { readEvents } from './event-stream.ts';
import { dataOf, type GraphqlResult } from './graphql.ts';
import { connectionError, type Http, type RequestOptions } from './http.ts';

/** A WebSocket class, such as a browser's `WebSocket` or the one of the package `ws`. */
export type WebSocketClass = new (url: string, protocols?: string | string[]) => object;

export type SubscribeOptions = Pick<RequestOptions, 'signal' | 'account'>;

/** Ends with its connection. */
export type Subscribe = (query: string, variables: unknown, options: SubscribeOptions) => AsyncGenerator<unknown, void>;

/** Also the limit for a reply. */
const [pingMs, responseTimeoutMs] = [15_000, 10_000];

/** Close codes of the service (docs/realtime.md, How it ends). */
const closeCodes: Readonly<Record<number, string>> = {
  1001: 'GOING_AWAY',
  1013: 'RATE_LIMITED',
  4401: 'UNAUTHENTICATED',
  4403: 'FORBIDDEN',
};

/**
 * Subscriptions over one WebSocket (graphql-transport-ws), open while there are any.
 * @param authorization sent with the first message, because browsers cannot set the header
 */
export function overWebSocket(
  url: string,
  webSocket: WebSocketClass,
  authorization?: string,
): { subscribe: Subscribe; close(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stopTimer = () => clearTimeout(timer);
  const startTimer = () => {
    stopTimer();
    timer = setTimeout(() => client.terminate(), responseTimeoutMs);
  };
  const client: SocketClient = createSocketClient({
    url: `${url.replace(/^http/, 'ws')}/graphql`,
    webSocketImpl: withErrorListener(webSocket),
    ...(authorization !== undefined && { connectionParams: { authorization } }),
    retryAttempts: 0,
    keepAlive: pingMs,
    on: {
      connecting: startTimer,
      connected: stopTimer,
      ping: (isReceived) => !isReceived && startTimer(),
      pong: (isReceived) => isReceived && stopTimer(),
      closed: stopTimer,
    },
  });
  const activeSubscriptions = new Set<object>();
  async function* subscribe(query: string, variables: unknown, { signal, account }: SubscribeOptions) {
    signal?.throwIfAborted();
    const results = client.iterate({
      query,
      variables: variables as Record<string, unknown>,
      extensions: { account },
    });
    activeSubscriptions.add(results);
    // Without a network, a socket may neither open nor close.
    const abort = () => {
      activeSubscriptions.delete(results);
      if (activeSubscriptions.size === 0) return void client.terminate();
      void results.return?.();
      void results.throw?.(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for await (const result of results) yield dataOf(result);
    } catch (error) {
      throw socketError(error, signal);
    } finally {
      activeSubscriptions.delete(results);
      signal?.removeEventListener('abort', abort);
      await results.return?.();
    }
    signal?.throwIfAborted();
  }
  return {
    subscribe,
    close() {
      // It rejects if the connection failed while opening.
      Promise.resolve(client.dispose()).catch(() => undefined);
    },
  };
}

/** Listens for errors, which the package `ws` otherwise throws. */
const withErrorListener = (webSocket: WebSocketClass): WebSocketClass =>
  class extends webSocket {
    constructor(...parameters: ConstructorParameters<WebSocketClass>) {
      super(...parameters);
      (this as unknown as EventTarget).addEventListener('error', () => undefined);
    }
  };

function socketError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof TaskgateError) return error;
  if (Array.isArray(error)) return fromGraphql(error as GraphqlErrorBody[]);
  const code = closeCodes[(error as { code?: number } | null)?.code ?? 0];
  if (code === undefined) return connectionError(error, signal);
  return new TaskgateError({ code, message: (error as { reason?: string }).reason ?? code }, error);
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
