import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { counter, gauge } from '@taskgate/base';
import { ownCopy } from '@taskgate/execution';
import { codeHash } from './code-hash.ts';
import { loggedName } from './request-observation.ts';
import type { Context, Viewer } from '../platform/context.ts';

declare module '../platform/services.ts' {
  interface Services {
    responses: ResponseCache;
  }
}

/**
 * Covers everything that a response depends on: viewer, rights, reach, request, state of the visible spaces and of the
 * account, and the code. The viewer's states must be read first: a response may be newer than its key, never older.
 */
export function cacheKey(viewer: Viewer, request: string, code = codeHash): string {
  const hash = createHash('sha256');
  const { id, inboxId, credential, states, relatedRevision } = viewer;
  const parts = [code, id, inboxId ?? '', credential.rights, JSON.stringify([...states]), relatedRevision, request];
  for (const part of parts) hash.update(`${part}\n`);
  return `"${hash.digest('base64url')}"`;
}

export interface FinishedResponse {
  type: string;
  body: Buffer;
}

export interface CachedResponse {
  /** Name as logged, in memory of its own. */
  operationName?: string | undefined;
  body: Buffer;
  /** Absent if clients may not keep the response. */
  entityTag?: string | undefined;
}

/**
 * Returns the key if it covers the response: a client with this tag has the response. Otherwise returns a hash of the
 * body, or undefined if the body is streamed.
 */
export function entityTagOf(
  key: string | undefined,
  body: Buffer | undefined,
  { isUncacheable, validUntil }: Pick<Context, 'isUncacheable' | 'validUntil'>,
): string | undefined {
  if (key === undefined || (!isUncacheable && validUntil === undefined)) return key;
  return body && `"${createHash('sha256').update(body).digest('base64url')}"`;
}

const overhead = 512;

/** Unpooled: a few cached bytes would keep a whole pool alive. */
export function bytesOf(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

const bytes = gauge('taskgate_response_cache_bytes', 'Size of the response cache, in bytes.');
const entries = gauge('taskgate_response_cache_entries', 'Entries of the response cache.');
const hits = counter('taskgate_response_cache_hits_total', 'Reads that were answered from the response cache.');
const misses = counter('taskgate_response_cache_misses_total', 'Reads that were not in the response cache.');

export class ResponseCache extends LRUCache<string, CachedResponse> {
  constructor(maxBytes: number) {
    super({
      maxSize: maxBytes,
      maxEntrySize: Math.floor(maxBytes / 8),
      sizeCalculation: ({ body, operationName = '' }, key) =>
        body.length + key.length + 2 * operationName.length + overhead,
    });
    bytes.track(() => this.calculatedSize);
    entries.track(() => this.size);
  }

  override get(key: string): CachedResponse | undefined {
    const cached = super.get(key);
    (cached ? hits : misses).inc();
    return cached;
  }
}

export function sendFinished(response: Response, { type, body }: FinishedResponse): void {
  response.setHeader('Content-Type', type);
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

export function cacheResponse(key: string, cached: CachedResponse, context: Context): void {
  const { services, isUncacheable, validUntil } = context;
  if (isUncacheable) return;
  // eslint-disable-next-line taskgate/database-clock -- a duration of this process; PostgreSQL decides about sessions
  const ttl = validUntil === undefined ? 0 : Math.max(1, Math.floor(validUntil - Date.now()));
  const name = loggedName(cached.operationName);
  services.responses.set(key, { ...cached, operationName: name === undefined ? undefined : ownCopy(name) }, { ttl });
}

/**
 * Clients may store the response, to revalidate by its `ETag`. Sends 304 if the client holds it, or for `*`.
 * @returns whether it sent the response
 */
export function sendNotModified(request: Request, response: Response, entityTag: string | undefined): boolean {
  response.setHeader('Cache-Control', 'private, no-cache');
  if (entityTag !== undefined) response.setHeader('ETag', entityTag);
  if (!matchesEntityTag(request, '*', entityTag)) return false;
  response.status(304).end();
  return true;
}

/** Weak comparison (RFC 9110, 13.1.2). */
export function matchesEntityTag({ headers }: Request, ...tags: readonly (string | undefined)[]): boolean {
  const header = headers['if-none-match'];
  return header !== undefined && header.split(',').some((each) => tags.includes(each.trim().replace(/^W\//, '')));
}
