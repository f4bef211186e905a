import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';

/**
 * Sort keys are printable ASCII, compared bytewise. The service generates them with fractional-indexing, but clients
 * may send any.
 */

/** Maximum length. If a list needs a longer key, all its entries get new keys. */
const longest = 200;

const isCanonical = (key: string) => {
  try {
    generateKeyBetween(key, null);
    return /^[0-9A-Za-z]+$/.test(key);
  } catch {
    return false;
  }
};

const first = 0x20;
const last = 0x7e;

const digit = (key: string, index: number) => (index < key.length ? key.charCodeAt(index) - first : 0);
const toChar = (value: number) => String.fromCharCode(first + value);

/** Returns a short greater key. */
function successor(key: string): string {
  for (let index = 0; index < key.length; index += 1) {
    if (key.charCodeAt(index) < last) return key.slice(0, index) + toChar(digit(key, index) + 1);
  }
  return `${key}P`;
}

/** Returns a key between two keys. Null if there is none, as between "a" and "a ". */
function midpoint(after: string, before: string): string | null {
  let prefix = '';
  for (let index = 0; index < before.length; index += 1) {
    const low = digit(after, index);
    const room = digit(before, index) - low;
    if (room > 1) return prefix + toChar(low + Math.floor(room / 2));
    prefix += toChar(low);
    // The result begins like `after`, and its rest is greater.
    if (room === 1) return prefix + successor(after.slice(index + 1));
  }
  return null;
}

/** Null arguments mean an end of the list. @returns null if no key of reasonable length fits: use {@link spreadKeys} */
export function keyBetween(after: string | null, before: string | null): string | null {
  const key = candidate(after, before);
  return key !== null && key.length <= longest ? key : null;
}

function candidate(after: string | null, before: string | null): string | null {
  if (after !== null && before !== null && after >= before) return null;
  if ((after === null || isCanonical(after)) && (before === null || isCanonical(before))) {
    return generateKeyBetween(after, before);
  }
  if (before !== null) return midpoint(after ?? '', before);
  return after === null || after < 'a0' ? 'a0' : successor(after);
}

/** Spreads keys evenly between two others. @returns as {@link keyBetween} */
export function keysBetween(after: string | null, before: string | null, count: number): string[] | null {
  if (count === 0) return [];
  const middle = keyBetween(after, before);
  if (middle === null) return null;
  const left = keysBetween(after, middle, count >> 1);
  const right = keysBetween(middle, before, (count - 1) >> 1);
  return left && right && [...left, middle, ...right];
}

export const spreadKeys = (count: number) => generateNKeysBetween(null, null, count);
