import { type BatchOperation, type BatchOptions, type Document, runBatch, runOperation, textOf } from './graphql.ts';
import { Http, type RequestOptions } from './http.ts';
import { createRest, type Rest } from './rest.ts';
import { overEventStream, overWebSocket, type SubscribeOptions, type WebSocketClass } from './subscription.ts';

export interface ClientOptions {
  /** Origin of the service, such as `https://tasks.example.com`. */
  readonly url: string;
  /** Replaces the global `fetch`. Outside of browsers, pass one that keeps and sends the session cookie. */
  readonly fetch?: typeof fetch;
  /**
   * Replaces the global `WebSocket`. Outside of browsers, pass one that sends the session cookie. Subscriptions use Server-Sent Events if
   * it is null or missing, or if only `fetch` is given, whose cookie the global WebSocket lacks.
   */
  readonly webSocket?: WebSocketClass | null;
  /** Access token of a program, sent instead of a cookie. */
  readonly token?: string;
  /** Default account for requests. If the session belongs to another account, the service does nothing and responds `UNAUTHENTICATED`. */
  readonly account?: string;
  /** Maximum number of attempts of a retryable request; 5 by default. */
  readonly maxAttempts?: number;
  /** Timeout of an attempt in milliseconds; 30,000 by default. */
  readonly timeoutMs?: number;
}

/**
 * A client for one caller. Failures reject with a `TaskgateError`, or with the reason of an aborted signal. Reads, and writes with an
 * idempotency key, are retried with backoff and after `Retry-After`.
 */
export interface Client {
  /** Origin of the service. */
  readonly url: string;
  /** Whether requests carry an access token. */
  readonly hasToken: boolean;
  /** The REST API, typed by the OpenAPI document. */
  readonly rest: Rest;
  /** Runs a query or mutation over HTTP. @returns the data; rejects if the response has any error, even with data */
  graphql<Result = unknown, Variables = Record<string, unknown>>(
    document: Document<Result, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Result>;
  /**
   * Runs up to 50 queries and mutations in one request, in order. After a retryable error, the following ones are not executed
   * (`UNAVAILABLE`). The request is retried if each operation is a query or has an idempotency key.
   * @returns a result for each, with a `TaskgateError` as reason of a failure; rejects if the outcome is unknown
   */
  batch(operations: readonly BatchOperation[], options?: BatchOptions): Promise<PromiseSettledResult<unknown>[]>;
  /**
   * Runs a subscription over the client's WebSocket or Server-Sent Events. It ends with its connection and is not resumed automatically.
   * @returns the data of each event; to end the subscription, stop reading or abort
   */
  subscribe<Result = unknown, Variables = Record<string, unknown>>(
    document: Document<Result, Variables>,
    variables?: Variables,
    options?: SubscribeOptions,
  ): AsyncGenerator<Result, void>;
  /** Closes the WebSocket and its subscriptions. */
  close(): void;
}

/** Creates a client. It sends nothing until it is used. */
export function createClient({
  url,
  fetch,
  webSocket = fetch ? null : ((globalThis as { WebSocket?: WebSocketClass }).WebSocket ?? null),
  token,
  account,
  maxAttempts = 5,
  timeoutMs = 30_000,
}: ClientOptions): Client {
  const origin = url.replace(/\/+$/, '');
  const authorization = token === undefined ? undefined : `Bearer ${token}`;
  const http = new Http({
    url: origin,
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    authorization,
    maxAttempts,
    timeoutMs,
  });
  const withAccount = (options?: RequestOptions) => ({
    ...options,
    account: options?.account ?? account,
  });
  const socket = webSocket && overWebSocket(origin, webSocket, authorization);
  const subscribe = socket?.subscribe ?? overEventStream(http);
  return {
    url: origin,
    hasToken: token !== undefined,
    rest: createRest(http, account),
    graphql: <Result, Variables>(
      document: Document<Result, Variables>,
      variables?: Variables,
      options?: RequestOptions,
    ) => runOperation(http, document, variables, withAccount(options)) as Promise<Result>,
    batch: (operations, options) => runBatch(http, operations, withAccount(options)),
    subscribe: <Result, Variables>(
      document: Document<Result, Variables>,
      variables?: Variables,
      options?: SubscribeOptions,
    ) => subscribe(textOf(document), variables, withAccount(options)) as AsyncGenerator<Result, void>,
    close: () => socket?.close(),
  };
}
