import { jsonBuffers, jsonLength } from './json-text.ts';

/** A code unit takes at most six bytes (`\u0001`). */
const maxBytesPerUnit = 6;

/**
 * Returns the JSON bytes of a GraphQL value. An estimate far below `max`; exact near it; just larger above it.
 * @param pause lets others use the event loop
 */
export async function jsonSize(value: unknown, max: number, pause: () => Promise<void>): Promise<number> {
  const estimated = jsonLength(value, max / maxBytesPerUnit);
  if (estimated * maxBytesPerUnit <= max) return estimated;
  let bytes = 0;
  for await (const { length } of jsonBuffers(value, pause)) {
    bytes += length;
    if (bytes > max) break;
  }
  return bytes;
}
