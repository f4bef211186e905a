import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Mail } from './mails/layout.ts';

/** A mail to one address. */
export interface Message extends Mail {
  to: string;
}

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'mails that wait to be sent', 32));

/**
 * Encrypts a mail that waits to be sent: it may hold a code, which is stored nowhere in plain text (OWASP ASVS 6.5.2).
 * @param id of its delivery: a text that was put into another row is none
 */
export function encrypt(secret: string, id: string, message: Message): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(secret), iv).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(JSON.stringify(message), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]);
}

/**
 * Decrypts what {@link encrypt} made.
 * @param secrets any of which may have encrypted it
 * @returns undefined where none has
 */
export function decrypt(secrets: readonly string[], id: string, encrypted: Uint8Array): Message | undefined {
  const [iv, tag, text] = [
    encrypted.subarray(0, ivBytes),
    encrypted.subarray(ivBytes, ivBytes + tagBytes),
    encrypted.subarray(ivBytes + tagBytes),
  ];
  for (const secret of secrets) {
    try {
      const decipher = createDecipheriv(algorithm, keyOf(secret), iv).setAAD(Buffer.from(id)).setAuthTag(tag);
      return JSON.parse(decipher.update(text, undefined, 'utf8') + decipher.final('utf8')) as Message;
    } catch {
      // By another one.
    }
  }
  return undefined;
}
