/** Crockford's base 32 in lower case, as in TypeIDs. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Time of the newest known id. */
let latestMs = 0;

/** Creates a TypeID of a UUIDv7 (RFC 9562, 5.7), greater than all known ids even if the clock is set back. */
export function newId(prefix: string): string {
  latestMs = Math.max(Date.now(), latestMs + 1);
  const random = crypto.getRandomValues(new BigUint64Array(2));
  const randomA = (random[0] ?? 0n) & 0xfffn;
  const randomB = (random[1] ?? 0n) & 0x3fff_ffff_ffff_ffffn;
  const uuid = (BigInt(latestMs) << 80n) | (0x7n << 76n) | (randomA << 64n) | (0b10n << 62n) | randomB;
  let suffix = '';
  for (let bits = 125n; bits >= 0n; bits -= 5n) suffix += alphabet[Number((uuid >> bits) & 31n)] ?? '';
  return `${prefix}_${suffix}`;
}

/** Makes later ids greater than this one. */
export function observeId(id: string): void {
  let milliseconds = 0;
  // 50 bits: two zeros, then the first 48 of the UUID.
  for (const character of id.slice(id.indexOf('_') + 1).slice(0, 10)) {
    milliseconds = milliseconds * 32 + Math.max(alphabet.indexOf(character), 0);
  }
  latestMs = Math.max(latestMs, milliseconds);
}
