import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { codeHash } from './code-hash.ts';
import type { Viewer } from '../kernel/context.ts';
import { counter, gauge } from '../kernel/metrics.ts';

/** Bytes of finished answers that a process caches. */
const maxBytes = 48 * 1024 * 1024;

/**
 * Names what a viewer's request reads: who asks, what for, and the revisions of all that they can
 * see. While the name is the same, so is the answer; it serves as its `ETag`. The revisions have to
 * be read before the answer is made: then it can be newer than its name, but never older. Another version may answer
 * otherwise: its answers have other names.
 */
export function cacheKey(viewer: Viewer, request: string): string {
  const hash = createHash('sha256');
  const { id, revisions, relatedRevision } = viewer;
  for (const part of [codeHash, id, JSON.stringify(revisions), relatedRevision, request]) hash.update(`${part}\n`);
  return `"${hash.digest('base64url')}"`;
}

/** What is finished, and can be sent. */
export interface CachedResponse {
  /** Media type. */
  type: string;
  /** Of the GraphQL operation that it answers, where that has a name: as the log shows it, in memory of its own. */
  operationName?: string | undefined;
  body: Buffer;
}

/** What an entry takes beside its text and bytes, about. */
const overhead = 512;

/** JSON in bytes that share no memory with others: of Node's common buffers, a few bytes would keep all. */
export function bytesOf(value: unknown): Buffer {
  const text = JSON.stringify(value);
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Counts what it is asked for. */
class CountingCache extends LRUCache<string, CachedResponse> {
  hits = 0;
  misses = 0;

  override get(key: string): CachedResponse | undefined {
    const found = super.get(key);
    if (found) this.hits += 1;
    else this.misses += 1;
    return found;
  }
}

/** Finished answers by their {@link cacheKey}, the last used ones, within bounds. */
export const responseCache = new CountingCache({
  maxSize: maxBytes,
  maxEntrySize: maxBytes / 8,
  sizeCalculation: ({ body, operationName = '' }, key) =>
    body.length + key.length + 2 * operationName.length + overhead,
});

gauge('taskgate_response_cache_bytes', 'Bytes that the response cache holds.', () => responseCache.calculatedSize);
gauge('taskgate_response_cache_entries', 'Entries of the response cache.', () => responseCache.size);
counter(
  'taskgate_response_cache_hits_total',
  'Reads that were answered from the response cache.',
  () => responseCache.hits,
);
counter(
  'taskgate_response_cache_misses_total',
  'Reads that were not in the response cache.',
  () => responseCache.misses,
);
