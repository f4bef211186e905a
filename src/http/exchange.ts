import type { Request, Response } from 'express';
import { ResponseTooLarge } from '@taskgate/work';
import type { Context } from '../platform/context.ts';
import { type KeyedOperation, runOnce, setOperationId } from './idempotency.ts';
import {
  type CachedResponse,
  cacheKey,
  cacheResponse,
  entityTagOf,
  matchesEntityTag,
  sendNotModified,
} from './response-cache.ts';

export interface Exchange {
  request: Request;
  response: Response;
  context: Context;
}

interface PreparedOperation {
  keyed: KeyedOperation | undefined;
  /** @throws if the operation fails; nothing is stored then */
  run: (own: Context) => Promise<Buffer>;
  /** Sends a response that is too large for memory. */
  stream?: (() => Promise<void>) | undefined;
  operationName?: string | undefined;
}

interface Steps {
  /** Key of a read whose response is cached. */
  read: string | undefined;
  /** Clients may keep the response by its `ETag`. */
  isConditional: boolean;
  onCached?(cached: CachedResponse): void;
  /** @returns undefined if it sent the response */
  prepare(): PreparedOperation | Promise<PreparedOperation | undefined>;
  send(body: Buffer): unknown;
}

/** An operation with an idempotency key runs once. */
export async function respond({ request, response, context }: Exchange, steps: Steps): Promise<void> {
  const { viewer, services } = context;
  const { isConditional } = steps;
  const key = steps.read !== undefined && viewer ? cacheKey(viewer, steps.read) : undefined;
  const cached = key === undefined ? undefined : services.responses.get(key);
  if (cached) steps.onCached?.(cached);
  // The client could read this state: no later check would refuse it. A key is the tag only of responses that it covers.
  const isHeld = cached !== undefined || matchesEntityTag(request, key);
  if (isConditional && isHeld && sendNotModified(request, response, cached?.entityTag ?? key)) return;
  if (cached) return void (await steps.send(cached.body));
  const operation = await steps.prepare();
  if (!operation) return;
  const { keyed, run, stream, operationName } = operation;
  if (keyed) {
    const { body, operationId, isReplayed } = await runOnce(context, keyed, run);
    if (isReplayed) response.setHeader('Idempotency-Replayed', 'true');
    setOperationId(response, operationId);
    return void (await steps.send(body));
  }
  const body = await run(context).catch((error: unknown): undefined => {
    if (!(stream && error instanceof ResponseTooLarge)) throw error;
  });
  setOperationId(response, context.viewer?.operations?.at(-1));
  const entityTag = isConditional ? entityTagOf(key, body, context) : undefined;
  if (key !== undefined && body) cacheResponse(key, { body, entityTag, operationName }, context);
  if (isConditional && sendNotModified(request, response, entityTag)) return;
  await (body ? steps.send(body) : stream?.());
}
