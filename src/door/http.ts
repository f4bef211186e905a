import type { Response } from 'express';
import { jsonType, sendStreamed } from '@taskgate/http';
import { type Exchange, respond } from '../http/exchange.ts';
import { headersOfKey, idempotencyKeyOf } from '../http/idempotency.ts';
import { noBody, type RequestContexts } from '../http/request-contexts.ts';
import { bytesOf, cacheKey, sendFinished, sendNotModified } from '../http/response-cache.ts';
import { type Context, signedIn } from '../platform/context.ts';

export { noBody, type RequestContexts };

interface PreparedResponse {
  /** An idempotency key identifies it, besides method and URL. */
  body: unknown;
  /** @returns the JSON value */
  run: (own: Context) => Promise<unknown>;
  /** For a response that is too large for memory. */
  stream?: (() => Promise<void>) | undefined;
}

interface JsonResponse {
  status: number;
  /** Whether the response is cached, and has an `ETag`. */
  isRead: boolean;
  /** Whether the response is stored under the idempotency key of the request. */
  isStored: boolean;
  /** Checks the input. Not called if the response is cached. */
  prepare: () => PreparedResponse;
}

/** Sends the response of an operation: from the cache, from an earlier request with the same key, or a new one. */
export function respondWithJson(exchange: Exchange, { status, isRead, isStored, prepare }: JsonResponse) {
  const { request, response, context } = exchange;
  return respond(exchange, {
    read: isRead ? request.originalUrl : undefined,
    isConditional: isRead,
    prepare() {
      const { body, run, stream } = prepare();
      const key = isStored ? idempotencyKeyOf({ headers: headersOfKey(request) }) : undefined;
      const parts = [context.source.api, request.method, request.originalUrl, body];
      return {
        keyed: key === undefined ? undefined : { key, parts, writes: 1 },
        run: async (own) => bytesOf(await run(own)),
        stream,
      };
    },
    send: (body) => sendFinished(response.status(status), { type: jsonType, body }),
  });
}

/** Of no operation: neither cached nor stored. */
export const sendJson = (response: Response, value: unknown): void =>
  sendFinished(response, { type: jsonType, body: bytesOf(value) });

/** Sends 304 if the client holds what the caller sees under this name. @returns whether it sent the response */
export const sendUnchanged = ({ request, response, context }: Exchange, name: string): boolean =>
  sendNotModified(request, response, cacheKey(signedIn(context), name));

/** Sends text while it is made, at most until the session ends. */
export const sendText = (
  contexts: RequestContexts,
  { response, context }: Omit<Exchange, 'request'>,
  text: AsyncGenerator<string>,
): Promise<void> => {
  const { sessionId } = signedIn(context);
  return sendStreamed(response, text, (cut) => contexts.watchSession(sessionId, cut));
};
