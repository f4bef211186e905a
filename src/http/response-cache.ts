import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { ownCopy } from '../graphql/document-cache.ts';
import { codeHash } from './code-hash.ts';
import { loggedName } from './request-observation.ts';
import type { Context, Viewer } from '../kernel/context.ts';
import { counter, gauge } from '../kernel/metrics.ts';

declare module '../kernel/services.ts' {
  interface Services {
    responses: ResponseCache;
  }
}

/**
 * Identifies what a viewer's request reads: the viewer and their rights, the request, the state of all they can see;
 * and the version of the code, as another may respond differently. While the name is the same, so is the response; it
 * serves as its `ETag`. The points have to be read before the response is made: then it can be newer than its name, but
 * never older.
 */
export function cacheKey(viewer: Viewer, request: string, code = codeHash): string {
  const hash = createHash('sha256');
  const { id, credential, points, relatedRevision } = viewer;
  for (const part of [code, id, credential.rights, JSON.stringify([...points]), relatedRevision, request])
    hash.update(`${part}\n`);
  return `"${hash.digest('base64url')}"`;
}

export interface FinishedResponse {
  type: string;
  body: Buffer;
}

export interface CachedResponse {
  /** Of the GraphQL operation, where that has a name: as the log shows it, in separate memory. */
  operationName?: string | undefined;
  body: Buffer;
}

/** The approximate overhead of an entry. */
const overhead = 512;

/** JSON in bytes that share no memory with others: of Node's common buffers, a few bytes would keep all. */
export function bytesOf(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

const bytes = gauge('taskgate_response_cache_bytes', 'Bytes that the response cache holds.');
const entries = gauge('taskgate_response_cache_entries', 'Entries of the response cache.');
const hits = counter('taskgate_response_cache_hits_total', 'Reads that were answered from the response cache.');
const misses = counter('taskgate_response_cache_misses_total', 'Reads that were not in the response cache.');

/** Finished responses by their {@link cacheKey}, the last used ones, within bounds. */
export class ResponseCache extends LRUCache<string, CachedResponse> {
  /** @param maxBytes of all entries */
  constructor(maxBytes: number) {
    super({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes / 8),
      sizeCalculation: ({ body, operationName = '' }, key) =>
        body.length + key.length + 2 * operationName.length + overhead,
    });
    bytes.of(() => this.calculatedSize);
    entries.of(() => this.size);
  }

  override get(key: string): CachedResponse | undefined {
    const found = super.get(key);
    (found ? hits : misses).inc();
    return found;
  }
}

export function sendFinished(response: Response, { type, body }: FinishedResponse): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Caches the response to a read for as long as its key names what it shows. @param operationName of the GraphQL operation */
export function cacheResponse(key: string, body: Buffer, context: Context, operationName?: string): void {
  const { services, isUncacheable, validUntil } = context;
  if (isUncacheable) return;
  // eslint-disable-next-line taskgate/database-clock -- how long this process keeps it; what is open is PostgreSQL's to say
  const ttl = validUntil === undefined ? 0 : Math.max(1, Math.floor(validUntil - Date.now()));
  const name = loggedName(operationName);
  services.responses.set(key, { body, operationName: name === undefined ? undefined : ownCopy(name) }, { ttl });
}

/**
 * Says of a read that succeeds how its client may keep the response: alone, and asking each time whether it still holds, by its key
 * as the `ETag`. Answers 304 where the client holds it; any (`*`) matches, as it exists.
 * @param key undefined: there is none for the caller
 * @returns whether it is answered
 */
export function sendNotModified(request: Request, response: Response, key: string | undefined): boolean {
  response.setHeader('Cache-Control', 'private, no-cache');
  if (key !== undefined) response.setHeader('ETag', key);
  if (!holds(request, '*', key)) return false;
  response.status(304).end();
  return true;
}

/** Whether `If-None-Match` has one of the entity tags, compared weakly (RFC 9110, 13.1.2). */
export function holds({ headers }: Request, ...tags: readonly (string | undefined)[]): boolean {
  const held = headers['if-none-match'];
  return held !== undefined && held.split(',').some((each) => tags.includes(each.trim().replace(/^W\//, '')));
}
