import type { Request, Response } from 'express';
import type { Context } from '../kernel/context.ts';
import type { CachedResponse, ResponseCache } from './response-cache.ts';

/** Sends what is finished. */
export function sendFinished(response: Response, { type, body }: CachedResponse): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Caches the answer to a read for as long as its key names what it shows. */
export function cacheResponse(key: string, answer: CachedResponse, context: Context): void {
  const { services, isUncacheable, validUntil } = context;
  if (isUncacheable) return;
  // eslint-disable-next-line taskgate/database-clock -- how long this process keeps it; what is open is PostgreSQL's to say
  const ttl = validUntil === undefined ? 0 : Math.max(1, Math.floor(validUntil - Date.now()));
  services.responses.set(key, answer, { ttl });
}

interface CachedRead {
  cache: ResponseCache;
  key: string;
}

/**
 * Answers a read with what was answered before: 304 where the client holds it, or what this process has cached. Nothing is left
 * then that would refuse the request.
 * @returns whether it is answered
 */
export function sendCached(request: Request, response: Response, { cache, key }: CachedRead): boolean {
  const cached = cache.get(key);
  if (!cached && !holds(request, key)) return false;
  if (!sendNotModified(request, response, key) && cached) sendFinished(response, cached);
  return true;
}

/**
 * Says of a read that succeeds how its client may keep the answer: alone, and asking each time whether it still holds, by its key
 * as the `ETag`. Answers 304 where the client holds it; any (`*`) is held by whoever asks, as it exists.
 * @param key undefined: there is none for whoever asks
 * @returns whether it is answered
 */
export function sendNotModified(request: Request, response: Response, key: string | undefined): boolean {
  response.setHeader('Cache-Control', 'private, no-cache');
  if (key !== undefined) response.setHeader('ETag', key);
  if (!holds(request, '*') && (key === undefined || !holds(request, key))) return false;
  response.status(304).end();
  return true;
}

/** Whether `If-None-Match` has the entity tag, compared weakly (RFC 9110, 13.1.2). */
function holds({ headers }: Request, tag: string): boolean {
  const held = headers['if-none-match'];
  return held !== undefined && held.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}
