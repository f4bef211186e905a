import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { getOrMake } from '../kernel/group.ts';
import { graphqlForm, restForm } from './error-response.ts';
import { graphqlResponse, json } from './media-types.ts';
import { type Overload, overloaded, retryAfterOverload } from './overload.ts';
import { requestIdOf } from './request-id.ts';
import { countResponse } from './request-observation.ts';
import { isGraphqlUrl } from './request-route.ts';
import type { FinishedResponse } from './response-cache.ts';

/** Never refused: who runs the service has to see it then most of all. */
const operationsPath = /^\/(healthz|readyz|metrics)(\?|$)/;

/** A request as the overload counts it: in flight or not, until it is over. */
class TrackedRequest {
  readonly #overload: Overload;
  #isInFlight = false;
  #isOver = false;

  constructor(overload: Overload) {
    this.#overload = overload;
    this.#set(true);
  }

  /** Waits meanwhile for what takes nothing of the process, such as its body. */
  async whileIdle<Result>(wait: () => Promise<Result>): Promise<Result> {
    this.#set(false, () => this.#overload.pause());
    try {
      return await wait();
    } finally {
      this.#set(true);
    }
  }

  /** It is over, or the rest of it has its own bounds. Bound to the request, as it listens to its response. */
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

/** Does what a request waits for without being in flight. */
export const whileIdle = <Result>(request: IncomingMessage, wait: () => Promise<Result>): Promise<Result> =>
  tracked.get(request)?.whileIdle(wait) ?? wait();

/** The rest of a request has its own bounds, as a stream has: it is in flight no longer. */
export const endInFlight = (request: IncomingMessage): void => tracked.get(request)?.end();

export interface LoadSheddingOptions {
  overload: Overload;
  headers: readonly (readonly [name: string, value: string])[];
  /** Sets the headers by which a page of another origin may read the response. */
  cors: RequestHandler;
}

/**
 * Hands requests on while there is room for them. Others are refused with 503 and `Retry-After` before anything is done for
 * them, by what Node itself has for it: no middleware, no session, no body, no line in the log. That takes a small part of
 * what a request takes, so that what is left of the process is left to those that are served.
 */
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
      const refusing = request.headers.origin === undefined ? refuse : refuseForPage;
      // A body that came with the headers has been read by then, and need not be read and thrown away.
      return process.nextTick(refusing, request, response);
    }
    const one = new TrackedRequest(overload);
    tracked.set(request, one);
    // What is still to be sent then waits for its client, which has to keep a pace: see slow-readers.ts.
    response.once('head', one.end).once('close', one.end);
    handle(request, response);
  };
}

const refusalsByForm = new Map<string, FinishedResponse>();

/** The error as REST or GraphQL says it; made once for each type and time. */
function refusalOf({ url = '', headers }: IncomingMessage, retryAfter: number): FinishedResponse {
  const isGraphql = isGraphqlUrl(url);
  const type = isGraphql && headers.accept?.includes(graphqlResponse) ? graphqlResponse : json;
  return getOrMake(refusalsByForm, `${isGraphql} ${type} ${retryAfter}`, () => {
    const content = (isGraphql ? graphqlForm : restForm).bodyOf(overloaded(retryAfter));
    return { type: `${type}; charset=utf-8`, body: Buffer.from(JSON.stringify(content)) };
  });
}
