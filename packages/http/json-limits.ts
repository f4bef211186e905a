import { isUtf8 } from 'node:buffer';
import { invalid } from '@taskgate/base';

/** Parsing takes far longer for many small values than for long strings. */
export const jsonLimits = {
  /** Values in all lists and objects. A list of ids has at most 10,000. */
  values: 100_000,
  /** Members of all objects. */
  members: 20_000,
  nesting: 100,
} as const;

/** RFC 8259, 8.1. */
export const notJson = 'must be well-formed JSON in UTF-8';

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const opening = new Set([0x5b, 0x7b]);
const closing = new Set([0x5d, 0x7d]);

/** Syntax errors are left to the parser. @param path name in errors @throws VALIDATION_FAILED */
export function checkJson(bytes: Uint8Array, path = 'body'): void {
  if (!isUtf8(bytes)) throw invalid(path, notJson);
  // In UTF-8, a byte below 0x80 is always that character.
  let [values, members, nesting] = [1, 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) values += 1;
    else if (byte === colon) members += 1;
    else if (opening.has(byte)) nesting += 1;
    else if (closing.has(byte)) nesting -= 1;
    if (nesting > jsonLimits.nesting) throw invalid(path, `must have at most ${jsonLimits.nesting} levels`);
    if (members > jsonLimits.members) throw invalid(path, `must have at most ${jsonLimits.members} fields in all`);
    if (values > jsonLimits.values) throw invalid(path, `must have at most ${jsonLimits.values} values in all`);
  }
}

/** @returns the length if the string does not end */
function endOfString(bytes: Uint8Array, start: number): number {
  for (let end = bytes.indexOf(quote, start + 1); end !== -1; end = bytes.indexOf(quote, end + 1)) {
    let backslashes = 0;
    while (bytes[end - 1 - backslashes] === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return bytes.length;
}
