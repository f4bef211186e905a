import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';

/**
 * Characters of JSON from which on it is compressed, to less than half. Up to that, base64 makes 8,000 of them, the header
 * line that common proxies take.
 */
const compressedFrom = 6000;

/**
 * Most bytes of JSON. A cursor of 2,500 spaces has less, and takes milliseconds to read: a few kilobytes that somebody
 * made up could unfold to lists that take seconds.
 */
const maxJsonBytes = 256 * 1024;

/** First byte of JSON that is not compressed: a list begins with it, and nothing that is compressed does. */
const plain = '['.charCodeAt(0);
const compressed = 0;

/** Writes a list as an opaque text of `A-Z a-z 0-9 - _`, such as a cursor. */
export function encodeOpaque(value: readonly unknown[]): string {
  const json = JSON.stringify(value);
  const isLong = json.length >= compressedFrom;
  const bytes = isLong ? Buffer.concat([Buffer.of(compressed), deflateRawSync(json, { level: 1 })]) : Buffer.from(json);
  return bytes.toString('base64url');
}

/** Reads what {@link encodeOpaque} wrote; undefined for what is no such text. */
export function decodeOpaque(text: string): unknown {
  if (!/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  try {
    const json = bytes[0] === plain ? bytes : inflateRawSync(bytes.subarray(1), { maxOutputLength: maxJsonBytes });
    return json.length > maxJsonBytes ? undefined : JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A text within an opaque one, such as an id or a sort key: PostgreSQL takes it as text. */
export const opaqueText = z.string().regex(/^[ -~]*$/);

/** More spaces than anybody is a member of: what a cursor names is looked up. */
const maxSpaces = 3000;

/** Something of each space, by its id. They are counted before each of them is looked at, which takes a hundred times as long. */
export const bySpace = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .record(z.string(), z.unknown())
    .refine((all) => Object.keys(all).length <= maxSpaces)
    .pipe(z.record(opaqueText, shape));
