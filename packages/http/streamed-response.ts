import { once } from 'node:events';
import type { Response } from 'express';
import { jsonType } from './media-types.ts';
import { requirePace } from './slow-readers.ts';

/** Caches do not store it, and proxies do not buffer it. */
export const streamHeaders = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** A stream holds a database connection. */
const minBytesPerSecond = 32 * 1024;
const maxStreamMs = 10 * 60_000;

/**
 * Sends a list at the client's pace. An error before the first piece is thrown. Later errors, and the end of the
 * session, cut the connection, so no client mistakes a part for the whole.
 * @param watchSession returns a function that stops watching
 */
export async function sendStreamed(
  response: Response,
  pieces: AsyncGenerator<string>,
  watchSession: (cut: () => void) => () => void,
): Promise<void> {
  requirePace(response, minBytesPerSecond);
  const deadline = setTimeout(() => response.destroy(), maxStreamMs);
  const stopWatching = watchSession(() => response.destroy());
  try {
    for await (const piece of pieces) {
      if (!response.headersSent) response.setHeader('Content-Type', jsonType);
      if (response.req.method === 'HEAD') break;
      await write(response, piece);
      if (response.destroyed) return;
    }
    response.end();
  } catch (error) {
    // The client is gone.
    if (response.destroyed) return;
    // The original code could look like a hang-up, which is not logged.
    throw response.headersSent ? new Error('a streamed list failed', { cause: error }) : error;
  } finally {
    clearTimeout(deadline);
    stopWatching();
  }
}

/** Waits while the client cannot keep up. */
export async function write(response: Response, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}
