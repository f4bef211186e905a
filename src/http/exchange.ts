import type { Request, Response } from 'express';
import { ResponseTooLarge } from '../kernel/budget.ts';
import type { Context } from '../kernel/context.ts';
import { type KeyedOperation, runOnce, setOperationId } from './idempotency.ts';
import { type CachedResponse, cacheKey, cacheResponse, holds, sendNotModified } from './response-cache.ts';

/** A request of an API whose body has been read, as `request-contexts.ts` does. */
export interface Exchange {
  request: Request;
  response: Response;
  context: Context;
}

interface PreparedOperation {
  keyed: KeyedOperation | undefined;
  /** @returns the body of the response, JSON @throws where it has failed: nothing is stored then */
  run: (own: Context) => Promise<Buffer>;
  /** Sends the response in pieces, where it is too large to be made as a whole. */
  stream?: (() => Promise<void>) | undefined;
  operationName?: string | undefined;
}

/** What an API decides in {@link respond}. */
interface Steps {
  /** What a read reads, as text: its response is cached. Undefined: it is not. */
  read: string | undefined;
  /** Whether clients may keep the response, with its key as the `ETag`. */
  isConditional: boolean;
  onCached?(cached: CachedResponse): void;
  /** Parses and checks. @returns undefined where it has sent the response itself */
  prepare(): PreparedOperation | Promise<PreparedOperation | undefined>;
  send(body: Buffer): unknown;
}

/** Responds to an operation, for both APIs: from the cache; or it is prepared, run (once under its key), cached and sent. */
export async function respond({ request, response, context }: Exchange, steps: Steps): Promise<void> {
  const { viewer, services } = context;
  const { isConditional } = steps;
  const key = steps.read !== undefined && viewer ? cacheKey(viewer, steps.read) : undefined;
  const cached = key === undefined ? undefined : services.responses.get(key);
  if (cached) steps.onCached?.(cached);
  // The key names what the client holds: nothing is left that would refuse the request.
  if (isConditional && (cached || holds(request, key)) && sendNotModified(request, response, key)) return;
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
  const body = await run(context).catch((error: unknown) => {
    if (!(stream && error instanceof ResponseTooLarge)) throw error;
  });
  setOperationId(response, context.viewer?.operations?.at(-1));
  if (key !== undefined && body) cacheResponse(key, body, context, operationName);
  if (isConditional && sendNotModified(request, response, key)) return;
  await (body ? steps.send(body) : stream?.());
}
