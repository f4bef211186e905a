import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../kernel/ids.ts';
import type { Services } from '../kernel/services.ts';
import { turnOff } from './unsubscribe-data.ts';

/** Mails with an unsubscribe link: by their preference, with its name in tokens. */
const letters = { taskRemainders: 'r', dailyDigest: 'd' } as const;

/** A preference that a link in a mail turns off. */
export type MailPreference = keyof typeof letters;

/** Whose mails of which kind a token ends. */
export interface Subscription {
  userId: string;
  kind: MailPreference;
}

/** Base64url characters of a signature: 128 bits (RFC 2104, 5), as links are to be short. */
const signatureLength = 22;

const signatureOf = (secret: string, { userId, kind }: Subscription) =>
  createHmac('sha256', secret).update(`unsubscribe\n${kind}\n${userId}`).digest('base64url').slice(0, signatureLength);

/**
 * Where a user ends the mails of a kind without signing in (RFC 8058). Its holder can do that and nothing else. It does not
 * expire, as mails do not.
 * @param secret signs it
 * @param publicUrl origin of the service as users see it, without a slash at the end
 */
export function unsubscribeUrl(secret: string, publicUrl: string, userId: string, kind: MailPreference): string {
  // The id is last: mail clients may take a dash at the end of a URL for none of its characters.
  return `${publicUrl}/unsubscribe/${letters[kind]}.${signatureOf(secret, { userId, kind })}.${userId}`;
}

/**
 * Reads the token of an {@link unsubscribeUrl}.
 * @param secrets any of which may have signed it
 * @returns undefined where none has
 */
export function readUnsubscribeToken(secrets: readonly string[], token: string): Subscription | undefined {
  const [letter, signature = '', userId = '', ...rest] = token.split('.');
  const kind = (Object.keys(letters) as MailPreference[]).find((each) => letters[each] === letter);
  if (kind === undefined || !isId('User', userId) || rest.length > 0) return undefined;
  const subscription = { userId, kind };
  const isSigned = secrets.some((secret) => isSame(signature, signatureOf(secret, subscription)));
  return isSigned ? subscription : undefined;
}

/** Compares in a time that does not tell how much is the same. */
function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/**
 * Ends the mails of a kind. It may be done again, and where the account is gone: nobody learns whether there is one.
 * @throws UNAVAILABLE
 */
export async function unsubscribe(services: Services, { userId, kind }: Subscription): Promise<void> {
  if (await turnOff(userId, kind)) services.notifyChanged({ users: [userId], spaces: [userId] });
}
