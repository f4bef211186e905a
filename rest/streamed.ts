import { pipeline } from 'node:stream/promises';
import type { Response } from 'express';

export const jsonType = 'application/json; charset=utf-8';

/**
 * Milliseconds that the client may take for an answer that is sent while it is read, as that holds a connection to the
 * database. One that takes nothing is cut off long before, as with every answer.
 */
const maxStreamMs = 10 * 60_000;

/**
 * Sends a list while it is read, as fast as the client takes it. What fails before the first piece is thrown and can still
 * be answered; what fails later cannot be told any more: the connection is cut then, so that no client takes what it has
 * for all.
 */
export async function sendStreamed(
  response: Response,
  pieces: AsyncGenerator<string>,
  etag: string | undefined,
): Promise<void> {
  try {
    const first = await pieces.next();
    response.setHeader('Content-Type', jsonType);
    if (etag !== undefined) response.setHeader('ETag', etag);
    const deadline = setTimeout(() => response.destroy(), maxStreamMs);
    await pipeline(join(first, pieces), response).finally(() => clearTimeout(deadline));
  } finally {
    // Where the client is gone before the rest is asked for, nothing else ends it.
    await pieces.return(undefined);
  }
}

async function* join(first: IteratorResult<string>, others: AsyncIterable<string>): AsyncGenerator<string> {
  if (!first.done) yield first.value;
  try {
    yield* others;
  } catch (error) {
    // Its code could be that of a client that hangs up, which nobody has to know of.
    throw new Error('a list could not be read to its end', { cause: error });
  }
}
