import { seal, unseal } from '../kernel/sealing.ts';
import type { Mail } from './mails/layout.ts';

export interface Message extends Mail {
  to: string;
}

const purpose = 'mails that wait to be sent';

/**
 * Encrypts a mail that waits to be sent: it may hold a code, which is stored nowhere in plain text (OWASP ASVS 6.5.2).
 * @param id of its delivery
 */
export const encrypt = (secret: string, id: string, message: Message): Buffer =>
  seal(secret, purpose, id, Buffer.from(JSON.stringify(message)));

/**
 * Decrypts what {@link encrypt} made.
 * @param secrets any of which may have encrypted it
 * @returns undefined where none has
 */
export function decrypt(secrets: readonly string[], id: string, encrypted: Uint8Array): Message | undefined {
  const message = unseal(secrets, purpose, id, encrypted);
  return message && (JSON.parse(message.toString('utf8')) as Message);
}
