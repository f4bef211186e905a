// Sort keys as in the service (fractional indexing, D. Greenspan): an integer, whose first character gives its length, then a fraction.
// Clients may write any printable ASCII; between such keys a plain midpoint is used.

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const zero = '0';
const smallestInteger = `A${zero.repeat(26)}`;

/** The service makes no longer keys, and renews the list instead. */
const maxLength = 200;

/**
 * Returns a key strictly between two keys, compared by character codes. Null is an end of the list.
 * @returns null if no reasonably short key fits
 */
export function keyBetween(after: string | null, before: string | null): string | null {
  if (after !== null && before !== null && after >= before) return null;
  const areCanonical = [after, before].every((key) => key === null || isCanonical(key));
  const key = areCanonical ? canonicalBetween(after, before) : anyBetween(after, before);
  return key !== null && key.length <= maxLength ? key : null;
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

/** Length of an integer by its first character: `a` 2, `b` 3 and so on, `Z` 2, `Y` 3 and so on. */
function integerLength(head: string): number {
  if (head >= 'a' && head <= 'z') return head.charCodeAt(0) - 'a'.charCodeAt(0) + 2;
  if (head >= 'A' && head <= 'Z') return 'Z'.charCodeAt(0) - head.charCodeAt(0) + 2;
  return Number.POSITIVE_INFINITY;
}

const integerOf = (key: string) => key.slice(0, integerLength(key.charAt(0)));

const isCanonical = (key: string) =>
  /^[0-9A-Za-z]+$/.test(key) &&
  key !== smallestInteger &&
  integerLength(key.charAt(0)) <= key.length &&
  !(key.length > integerOf(key).length && key.endsWith(zero));

function canonicalBetween(after: string | null, before: string | null): string {
  if (after === null) {
    if (before === null) return `a${zero}`;
    const integer = integerOf(before);
    if (integer === smallestInteger) return integer + fractionBetween('', before.slice(integer.length));
    return integer < before ? integer : step(integer, -1);
  }
  const integer = integerOf(after);
  const fraction = after.slice(integer.length);
  if (before !== null && integerOf(before) === integer) {
    return integer + fractionBetween(fraction, before.slice(integer.length));
  }
  const next = step(integer, 1);
  return next !== '' && (before === null || next < before) ? next : integer + fractionBetween(fraction, null);
}

/** Returns the next or previous integer. Empty if there is none. */
function step(integer: string, by: 1 | -1): string {
  const [from, to] = by === 1 ? ['z', zero] : [zero, 'z'];
  const body = integer.slice(1);
  const digitIndex = Array.from(body).findLastIndex((digit) => digit !== from);
  if (digitIndex >= 0) {
    const digit = digits.charAt(digits.indexOf(body.charAt(digitIndex)) + by);
    return integer.slice(0, digitIndex + 1) + digit + to.repeat(body.length - digitIndex - 1);
  }
  const head = digits.charAt(digits.indexOf(integer.charAt(0)) + by);
  return head && head + to.repeat(integerLength(head) - 1);
}

/** Returns a fraction between two fractions without zeros at the end. If `before` is null, it is 1. */
function fractionBetween(after: string, before: string | null): string {
  if (before !== null) {
    let prefixLength = 0;
    while ((after[prefixLength] ?? zero) === before[prefixLength]) prefixLength += 1;
    if (prefixLength > 0)
      return before.slice(0, prefixLength) + fractionBetween(after.slice(prefixLength), before.slice(prefixLength));
  }
  const low = digits.indexOf(after.charAt(0));
  const high = before === null ? digits.length : digits.indexOf(before.charAt(0));
  if (high - low > 1) return digits.charAt(Math.round((low + high) / 2));
  if (before !== null && before.length > 1) return before.slice(0, 1);
  return digits.charAt(low) + fractionBetween(after.slice(1), null);
}

const [firstCode, lastCode] = [0x20, 0x7e];
const codeAt = (key: string, index: number) => (index < key.length ? key.charCodeAt(index) : firstCode);

function anyBetween(after: string | null, before: string | null): string | null {
  if (before === null) return after === null || after < 'a0' ? 'a0' : successor(after);
  const low = after ?? '';
  let prefix = '';
  for (let index = 0; index < before.length; index += 1) {
    const [from, to] = [codeAt(low, index), codeAt(before, index)];
    if (to - from > 1) return prefix + String.fromCharCode(Math.floor((from + to) / 2));
    prefix += String.fromCharCode(from);
    if (to - from === 1) return prefix + successor(low.slice(index + 1));
  }
  return null;
}

function successor(key: string): string {
  for (let index = 0; index < key.length; index += 1) {
    const code = key.charCodeAt(index);
    if (code < lastCode) return key.slice(0, index) + String.fromCharCode(code + 1);
  }
  return `${key}P`;
}
