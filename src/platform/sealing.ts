import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string, purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** Returns a key's public name, which finds rows that another key sealed. */
export const keyName = (secret: string, purpose: string): string =>
  createHmac('sha256', keyOf(secret, purpose)).update('name of this key').digest('base64url').slice(0, 12);

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
