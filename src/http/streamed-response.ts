import { once } from 'node:events';
import type { Response } from 'express';
import { jsonType } from './media-types.ts';
import { requirePace } from './slow-readers.ts';

/** Headers of each response whose parts come as they are made: no cache stores it, and no proxy holds a part back, as nginx would. */
export const streamHeaders = { 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' };

/** What the client has to take in a second, and the milliseconds that it has for all: it holds a connection to the database. */
const minBytesPerSecond = 32 * 1024;
const maxStreamMs = 10 * 60_000;

/**
 * Sends a list while it is read, as fast as the client takes it. What fails before the first piece is thrown and can still
 * be answered; what fails later can have no response any more: the connection is cut then, so that no client takes what it has
 * for all. It is cut as well where the session ends meanwhile.
 * @param watchSession has `cut` called once the session has ended; returns what ends the watching
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
    // Its client has gone, or was cut off: what is still read for it is cancelled.
    if (response.destroyed) return;
    // Its own code could be that of a client that hangs up, which nobody has to know of.
    throw response.headersSent ? new Error('a list could not be read to its end', { cause: error }) : error;
  } finally {
    clearTimeout(deadline);
    stopWatching();
  }
}

/** Writes, and waits where the client does not keep up. */
export async function write(response: Response, text: string): Promise<void> {
  if (response.write(text) || response.destroyed) return;
  const waiting = new AbortController();
  const { signal } = waiting;
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() =>
    waiting.abort(),
  );
}
