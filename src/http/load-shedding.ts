import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';
import { getOrMake } from '@taskgate/base';
import { graphqlResponse, json, requestIdOf } from '@taskgate/http';
import { networksOf } from '@taskgate/limits';
import { type Overload, overloaded, retryAfterOverload, type Turns } from '@taskgate/work';
import { graphqlForm, restForm } from './error-response.ts';
import { countResponse } from './request-observation.ts';
import { isGraphqlUrl } from './request-route.ts';
import type { FinishedResponse } from './response-cache.ts';

/** Operators need these most under overload. */
const operationsPath = /^\/(healthz|readyz|metrics)(\?|$)/;

class TrackedRequest {
  readonly #overload: Overload;
  #isInFlight = false;
  #isOver = false;

  constructor(overload: Overload) {
    this.#overload = overload;
    this.#set(true);
  }

  /** Wraps a wait that does not load the process, such as for a body. */
  async whileIdle<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#set(false, () => this.#overload.pause());
    try {
      return await wait();
    } finally {
      this.#set(true);
    }
  }

  readonly end = (): void => {
    this.#isOver = true;
    this.#set(false);
  };

  #set(inFlight: boolean, leave = () => this.#overload.end()): void {
    const next = inFlight && !this.#isOver;
    if (next === this.#isInFlight) return;
    this.#isInFlight = next;
    if (next) this.#overload.begin();
    else leave();
  }
}

const tracked = new WeakMap<IncomingMessage, TrackedRequest>();

export const whileIdle = <Result>(request: IncomingMessage, wait: () => Promise<Result>): Promise<Result> =>
  tracked.get(request)?.whileIdle(wait) ?? wait();

const turnOf = (turns: Turns, request: Request): Promise<void> =>
  whileIdle(request, () => turns.next(networksOf(request.clientAddress)[0]));

/** Whether the path looks up the caller. */
export const isOfCaller = ({ path }: Request): boolean => /^\/(?:api\/v|graphql|mcp)/.test(path);

/**
 * Such a request may wait for nothing else. A client with many connections would fill each turn of the event loop with
 * them, while the requests of others need several turns.
 * @param isExempt whether a request has waited for something else, or will
 */
export const inTurn =
  (turns: Turns, isExempt: (request: Request) => object | boolean | undefined): RequestHandler =>
  (request, _response, next) => {
    if (isExempt(request)) next();
    else void turnOf(turns, request).then(() => next());
  };

/** As {@link inTurn}. */
export const refusalsInTurn =
  (turns: Turns): ErrorRequestHandler =>
  (error, request, _response, next) =>
    void turnOf(turns, request).then(() => next(error));

/** Call it if the rest has bounds of its own, such as a stream. */
export const endInFlight = (request: IncomingMessage): void => tracked.get(request)?.end();

interface LoadSheddingOptions {
  overload: Overload;
  headers: readonly (readonly [name: string, value: string])[];
  cors: RequestHandler;
}

/** Answers 503 with `Retry-After` above the limit, using plain Node: no middleware, session, body or log line. */
export function shedLoad(handle: RequestListener, { overload, headers, cors }: LoadSheddingOptions): RequestListener {
  const fixedHeaders = headers.flat();
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    const retryAfter = retryAfterOverload();
    const { type, body } = refusalOf(request, retryAfter);
    response.writeHead(503, [
      ...fixedHeaders,
      ...['X-Request-Id', requestIdOf(request), 'Retry-After', `${retryAfter}`, 'Cache-Control', 'no-store'],
      ...['Content-Type', type, 'Content-Length', `${body.length}`],
    ]);
    response.end(body);
    countResponse(503);
  };
  const refuseForPage = (request: IncomingMessage, response: ServerResponse) =>
    cors(request as never, response as never, () => refuse(request, response));
  return (request, response) => {
    if (operationsPath.test(request.url ?? '')) return handle(request, response);
    if (!overload.admits('http')) {
      const refusal = request.headers.origin === undefined ? refuse : refuseForPage;
      // By then, a body that came with the headers has been read.
      return process.nextTick(refusal, request, response);
    }
    const trackedRequest = new TrackedRequest(overload);
    tracked.set(request, trackedRequest);
    // `slow-readers.ts` bounds the rest.
    response.once('head', trackedRequest.end).once('close', trackedRequest.end);
    handle(request, response);
  };
}

const refusalsByForm = new Map<string, FinishedResponse>();

function refusalOf({ url = '', headers }: IncomingMessage, retryAfter: number): FinishedResponse {
  const isGraphql = isGraphqlUrl(url);
  const type = isGraphql && headers.accept?.includes(graphqlResponse) ? graphqlResponse : json;
  return getOrMake(refusalsByForm, `${isGraphql} ${type} ${retryAfter}`, () => {
    const content = (isGraphql ? graphqlForm : restForm).bodyOf(overloaded(retryAfter));
    return { type: `${type}; charset=utf-8`, body: Buffer.from(JSON.stringify(content)) };
  });
}
