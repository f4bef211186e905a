import type { Response } from 'express';
import { jsonBytes, pauseOf } from '@taskgate/execution';
import { jsonType, sendStreamed } from '@taskgate/http';
import { type Exchange, respond } from '../http/exchange.ts';
import { type KeyedOperation, runOnce } from '../http/idempotency.ts';
import { applyFence, fenceOf, headersOfFence, headersOfKey, idempotencyKeyOf } from '../http/request-values.ts';
import { noBody, type RequestContexts } from '../http/request-contexts.ts';
import { callerOf } from '../http/request-limits.ts';
import { noteRequest } from '../http/request-observation.ts';
import { bytesOf, cacheKey, cacheResponse, sendFinished, sendNotModified } from '../http/response-cache.ts';
import { type Context, signedIn } from '../platform/context.ts';

export { noBody, noteRequest, type RequestContexts };

interface PreparedResponse {
  /** An idempotency key identifies it, besides method and URL. */
  body: unknown;
  /** @returns the JSON value */
  run: (own: Context) => Promise<unknown>;
  /** Streams the response, which may be too large for memory. */
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
      if (!isRead) applyFence(context, fenceOf({ headers: headersOfFence(request) }, isStored));
      const key = isStored ? idempotencyKeyOf({ headers: headersOfKey(request) }) : undefined;
      const parts = [context.source.api, request.method, request.originalUrl, body];
      return {
        keyed: key === undefined ? undefined : { key, parts, writes: 1 },
        run: async (own) => jsonBytes(await run(own), pauseOf(own)),
        stream,
      };
    },
    send: (body) => sendFinished(response.status(status), { type: jsonType, body }),
  });
}

/**
 * Runs writes as one operation: all or nothing, and once for a key. Without a key, nothing is stored for a replay.
 * @returns the value, and the operation's id, which is null if nothing changed
 */
export async function runAsOne<Value>(
  context: Context,
  { key, fence, parts, writes }: Omit<KeyedOperation, 'key'> & Record<'key' | 'fence', string | undefined>,
  run: (own: Context) => Promise<Value>,
): Promise<{ value: Value; operationId: string | null }> {
  applyFence(context, fence);
  let value: Value | undefined;
  const { body, operationId } = await runOnce(context, { key: key ?? null, parts, writes }, async (inside) => {
    value = await run(inside);
    return bytesOf(key === undefined ? null : value);
  });
  return { value: value ?? (JSON.parse(body.toString('utf8')) as Value), operationId };
}

/** Reads through the response cache. @param name of the request */
export async function readCached<Value>(context: Context, name: string, run: () => Promise<Value>): Promise<Value> {
  const key = cacheKey(signedIn(context), name);
  const cached = context.services.responses.get(key);
  if (cached) return JSON.parse(cached.body.toString('utf8')) as Value;
  const value = await run();
  cacheResponse(key, { body: bytesOf(value) }, context);
  return value;
}

/** @throws RATE_LIMITED */
export const countOperation = (context: Context, response: Response, cost: number, writes = 0): void =>
  context.services.requestLimits.countOperation(callerOf(context, response), { cost, writes });

/** Of no operation: neither cached nor stored. */
export const sendJson = (response: Response, value: unknown): void =>
  sendFinished(response, { type: jsonType, body: bytesOf(value) });

/** Sends 304 if the client holds the current response of this name. @returns whether it did */
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
