import { seal, unseal } from '../platform/sealing.ts';
import type { Mail } from './mails/layout.ts';

export interface Message extends Mail {
  to: string;
  /** Id of the only task that it is about. Mail programs show such mails as one thread. */
  thread?: string | undefined;
}

const purpose = 'mails that wait to be sent';

/** Encrypts a waiting mail: a code must not be stored in plain text (OWASP ASVS 6.5.2). @param id of the delivery */
export const encrypt = (secret: string, id: string, message: Message): Buffer =>
  seal(secret, purpose, id, Buffer.from(JSON.stringify(message)));

/** @returns undefined if none of the secrets fits */
export function decrypt(secrets: readonly string[], id: string, encrypted: Uint8Array): Message | undefined {
  const message = unseal(secrets, purpose, id, encrypted);
  return message && (JSON.parse(message.toString('utf8')) as Message);
}
