import { type BatchOperation, type BatchOptions, type Document, runBatch, runOperation, textOf } from './graphql.ts';
import { Http, type RequestOptions } from './http.ts';
import { createRest, type Rest } from './rest.ts';
import { overEventStream, overWebSocket, type SubscribeOptions, type WebSocketClass } from './subscription.ts';

/** Where the service is, and how it is reached. */
export interface ClientOptions {
  /** Origin of the service, such as `https://tasks.example.com`. */
  readonly url: string;
  /** In place of the global one: outside of browsers, one that keeps and sends the session cookie. */
  readonly fetch?: typeof fetch;
  /**
   * In place of the global one; outside of browsers, one that sends the session cookie. Null, or where there is none, or a `fetch` was
   * given alone, whose cookie the global one does not know: subscriptions go over Server-Sent Events.
   */
  readonly webSocket?: WebSocketClass | null;
  /** An access token, for programs: sent in place of a cookie with all requests and subscriptions. */
  readonly token?: string;
  /**
   * Id of the account that requests are for, unless they name another one. If the session belongs to another account, the service
   * does nothing, and answers `UNAUTHENTICATED`.
   */
  readonly account?: string;
  /** Tries of a request that may be tried again, the first included; 5 where nothing is said. */
  readonly maxAttempts?: number;
  /** Milliseconds after which a try without an answer has failed; 30,000 where nothing is said. */
  readonly timeoutMs?: number;
}

/**
 * The service for one caller. All that fails rejects with a `TaskgateError`, or with the reason of the signal that aborted it.
 * Reads, and writes with an idempotency key, are tried again after a pause that grows, and after `Retry-After`.
 */
export interface Client {
  /** Origin of the service. */
  readonly url: string;
  /** Whether it sends an access token. */
  readonly hasToken: boolean;
  /** The REST API, typed by the OpenAPI document. */
  readonly rest: Rest;
  /**
   * Runs a query or a mutation over HTTP.
   * @returns the data; a response with any error rejects, even if it also has data
   */
  graphql<Result = unknown, Variables = Record<string, unknown>>(
    document: Document<Result, Variables>,
    variables?: Variables,
    options?: RequestOptions,
  ): Promise<Result>;
  /**
   * Runs up to 50 queries and mutations in one request, in their order. After an error that a retry may fix, those after it have not
   * happened (`UNAVAILABLE`). It is tried again as a whole where each is a query or has an idempotency key.
   * @returns what has become of each, with `TaskgateError`s as reasons; it rejects where nobody knows
   */
  batch(operations: readonly BatchOperation[], options?: BatchOptions): Promise<PromiseSettledResult<unknown>[]>;
  /**
   * Runs a subscription, over the client's one WebSocket or over Server-Sent Events. It ends with its connection and is not opened
   * again by itself: who does that has to say from where on.
   * @returns the data of each event; stop reading, or abort, to end it
   */
  subscribe<Result = unknown, Variables = Record<string, unknown>>(
    document: Document<Result, Variables>,
    variables?: Variables,
    options?: SubscribeOptions,
  ): AsyncGenerator<Result, void>;
  /** Closes the WebSocket, with all subscriptions. */
  close(): void;
}

/** Makes a client. It sends nothing until it is used. */
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
  const naming = (options?: RequestOptions) => ({
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
    ) => runOperation(http, document, variables, naming(options)) as Promise<Result>,
    batch: (operations, options) => runBatch(http, operations, naming(options)),
    subscribe: <Result, Variables>(
      document: Document<Result, Variables>,
      variables?: Variables,
      options?: SubscribeOptions,
    ) => subscribe(textOf(document), variables, naming(options)) as AsyncGenerator<Result, void>,
    close: () => socket?.close(),
  };
}
