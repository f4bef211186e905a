import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string, purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** Returns a key's public name, which finds rows that another key sealed. */
export const keyName = (secret: string, purpose: string): string =>
  createHmac('sha256', keyOf(secret, purpose)).update('name of this key').digest('base64url').slice(0, 12);

/** Returns a signature of values for one purpose, as base64url. */
export const sign = (secret: string, purpose: string, ...values: readonly string[]): string =>
  createHmac('sha256', keyOf(secret, purpose)).update(JSON.stringify(values)).digest('base64url');

/** Whether one of the secrets has signed the values. Compares in constant time. */
export function isSigned(
  secrets: readonly string[],
  signature: string,
  purpose: string,
  ...values: readonly string[]
): boolean {
  const given = Buffer.from(signature);
  return secrets.some((secret) => {
    const own = Buffer.from(sign(secret, purpose, ...values));
    return own.length === given.length && timingSafeEqual(own, given);
  });
}

/** Encrypts a value for one purpose and one row. It cannot be unsealed for another. */
export function seal(secret: string, purpose: string, id: string, plain: Uint8Array): Buffer<ArrayBuffer> {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret, purpose), iv).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/** Undefined if none of the secrets has sealed it. */
export function unseal(
  secrets: readonly string[],
  purpose: string,
  id: string,
  sealed: Uint8Array,
): Buffer | undefined {
  const iv = sealed.subarray(0, ivBytes);
  const tag = sealed.subarray(ivBytes, ivBytes + tagBytes);
  const text = sealed.subarray(ivBytes + tagBytes);
  for (const secret of secrets) {
    try {
      const decipher = createDecipheriv(algorithm, keyOf(secret, purpose), iv).setAAD(Buffer.from(id)).setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]);
    } catch {
      // Another secret has sealed it.
    }
  }
  return undefined;
}

/**
 * Encrypts rows again whose key is not the current one, in pages by key.
 * @param reseal returns whether it could decrypt the row
 * @returns the number of rows
 */
export async function resealRows<Row>(
  findAfter: (key: string) => Promise<readonly Row[]>,
  keyOf: (row: Row) => string,
  reseal: (row: Row) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  let page = await findAfter('');
  for (let last = page.at(-1); last; last = page.at(-1)) {
    for (const row of page) if (await reseal(row)) count += 1;
    page = await findAfter(keyOf(last));
  }
  return count;
}
