import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string, purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));

/** Names the key that a secret gives for a purpose, and says nothing of it: finds what another one has sealed. */
export const keyName = (secret: string, purpose: string): string =>
  createHmac('sha256', keyOf(secret, purpose)).update('name of this key').digest('base64url').slice(0, 12);

/**
 * Encrypts what is stored, by a key that is derived from a secret.
 * @param purpose of the key: what is sealed for one cannot be unsealed for another
 * @param id of the row: a text that was put into another row is none
 */
export function seal(secret: string, purpose: string, id: string, plain: Uint8Array): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret, purpose), iv).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/**
 * Decrypts what {@link seal} made.
 * @param secrets any of which may have sealed it
 * @returns undefined where none has
 */
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
      // By another one.
    }
  }
  return undefined;
}
