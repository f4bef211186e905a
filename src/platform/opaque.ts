import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';

/**
 * JSON with so many bytes is compressed, to less than half. The base64 of shorter JSON fits the 8,000 characters of a
 * header that common proxies accept.
 */
const compressedFrom = 6000;

/** More than a cursor of 2,500 spaces has. Without it, a few crafted kilobytes inflate to lists that take seconds. */
const maxJsonBytes = 256 * 1024;

/** More than a position in a list has. One request may have fifty of them. */
const maxPositionBytes = 8 * 1024;

const plain = '['.charCodeAt(0);
const compressed = 0;

/** Uses only `A-Z a-z 0-9 - _`. */
export function encodeOpaque(value: readonly unknown[]): string {
  const json = JSON.stringify(value);
  const isLong = json.length >= compressedFrom;
  const bytes = isLong ? Buffer.concat([Buffer.of(compressed), deflateRawSync(json, { level: 1 })]) : Buffer.from(json);
  return bytes.toString('base64url');
}

/** Undefined if malformed. */
export function decodeOpaque(text: string, maxBytes = maxJsonBytes): unknown {
  if (text.length > 2 * maxBytes || !/^[\w-]+$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  try {
    const json = bytes[0] === plain ? bytes : inflateRawSync(bytes.subarray(1), { maxOutputLength: maxBytes });
    return json.length > maxBytes ? undefined : JSON.parse(json.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Decodes a position in a list. */
export const decodePosition = (text: string): unknown => decodeOpaque(text, maxPositionBytes);

export const opaqueText = z.string().regex(/^[ -~]*$/);

/** Spaces of a cursor: each is looked up. */
const maxSpaces = 3000;

/** Counts the keys before it validates them, which takes a hundred times as long. */
export const bySpace = <Shape extends z.ZodType>(shape: Shape) =>
  z
    .record(z.string(), z.unknown())
    .refine((all) => Object.keys(all).length <= maxSpaces)
    .pipe(z.record(opaqueText, shape));
