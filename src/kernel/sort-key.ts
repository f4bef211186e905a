import { generateKeyBetween, generateNKeysBetween } from 'fractional-indexing';

/**
 * Sort keys: strings of printable ASCII, compared bytewise. The service makes them with
 * fractional-indexing, but clients may write any, so that every function here takes any.
 */

/** Keys beyond this many characters are not made: the list gets new keys instead. */
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

/** The key as digits between 0 and 94, read as a fraction. */
const digit = (key: string, index: number) => (index < key.length ? key.charCodeAt(index) - first : 0);
const toChar = (value: number) => String.fromCharCode(first + value);

/** A short key greater than an arbitrary one. */
function successor(key: string): string {
  for (let index = 0; index < key.length; index += 1) {
    if (key.charCodeAt(index) < last) return key.slice(0, index) + toChar(digit(key, index) + 1);
  }
  return `${key}P`;
}

/** A key between two arbitrary ones, `before` exclusive; null where there is none, as between "a" and "a ". */
function midpoint(after: string, before: string): string | null {
  let prefix = '';
  for (let index = 0; index < before.length; index += 1) {
    const low = digit(after, index);
    const high = digit(before, index);
    if (low === high && index < after.length) {
      prefix += toChar(low);
    } else if (high - low > 1) {
      return prefix + toChar(Math.floor((low + high) / 2));
    } else if (high - low === 1) {
      // `after` up to here, then anything greater than its rest; or `before` cut short, if it continues.
      return prefix + toChar(low) + successor(after.slice(index + 1));
    } else {
      prefix += toChar(low);
    }
  }
  return null;
}

/**
 * A key strictly between two keys; null at either side is the end of the list.
 * @returns null where no key of reasonable length fits: give the list new keys with {@link spreadKeys}
 */
export function keyBetween(after: string | null, before: string | null): string | null {
  const key = candidate(after, before);
  const fits =
    key !== null && key.length <= longest && (after === null || after < key) && (before === null || key < before);
  return fits ? key : null;
}

function candidate(after: string | null, before: string | null): string | null {
  if (after !== null && before !== null && after >= before) return null;
  if ((after === null || isCanonical(after)) && (before === null || isCanonical(before))) {
    return generateKeyBetween(after, before);
  }
  if (before !== null) return midpoint(after ?? '', before);
  return after === null || after < 'a0' ? 'a0' : successor(after);
}

/** Evenly spread keys, in order, for all entries of a list. */
export const spreadKeys = (count: number) => generateNKeysBetween(null, null, count);
