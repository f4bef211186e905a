import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { codeHash } from './code-hash.ts';
import type { Viewer } from '../kernel/context.ts';
import { counter, gauge } from '../kernel/metrics.ts';

declare module '../kernel/services.ts' {
  interface Services {
    responses: ResponseCache;
  }
}

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

const bytes = gauge('taskgate_response_cache_bytes', 'Bytes that the response cache holds.');
const entries = gauge('taskgate_response_cache_entries', 'Entries of the response cache.');
const hits = counter('taskgate_response_cache_hits_total', 'Reads that were answered from the response cache.');
const misses = counter('taskgate_response_cache_misses_total', 'Reads that were not in the response cache.');

/** Finished answers by their {@link cacheKey}, the last used ones, within bounds. */
export class ResponseCache extends LRUCache<string, CachedResponse> {
  readonly #measured = [bytes.add(() => this.calculatedSize), entries.add(() => this.size)];

  constructor() {
    super({
      maxSize: maxBytes,
      maxEntrySize: maxBytes / 8,
      sizeCalculation: ({ body, operationName = '' }, key) =>
        body.length + key.length + 2 * operationName.length + overhead,
    });
  }

  override get(key: string): CachedResponse | undefined {
    const found = super.get(key);
    (found ? hits : misses).inc();
    return found;
  }

  close(): void {
    for (const each of this.#measured) each.remove();
    this.clear();
  }
}
