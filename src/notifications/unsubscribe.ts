import { createHmac, timingSafeEqual } from 'node:crypto';
import { isId } from '../platform/ids.ts';
import type { Services } from '../platform/services.ts';
import type { Unsubscribing } from './kind.ts';
import { unsubscribings } from './kinds.ts';
import { turnOff } from './unsubscribe-data.ts';

export interface Subscription {
  userId: string;
  unsubscribing: Unsubscribing;
}

/** Base64url characters. 128 bits are enough (RFC 2104, 5), and keep links short. */
const signatureLength = 22;

const signatureOf = (secret: string, { userId, unsubscribing }: Subscription) =>
  createHmac('sha256', secret)
    .update(`unsubscribe\n${unsubscribing.preference}\n${userId}`)
    .digest('base64url')
    .slice(0, signatureLength);

/**
 * Returns a link that unsubscribes without signing in (RFC 8058), allows nothing else, and never expires.
 * @param publicUrl without a trailing slash
 */
export function unsubscribeUrl(
  secret: string,
  publicUrl: string,
  userId: string,
  unsubscribing: Unsubscribing,
): string {
  // The user's id is last, because mail clients may ignore a dash at the end, which the signature can have.
  return `${publicUrl}/unsubscribe/${unsubscribing.letter}.${signatureOf(secret, { userId, unsubscribing })}.${userId}`;
}

/** @returns undefined if none of the secrets signed it */
export function readUnsubscribeToken(secrets: readonly string[], token: string): Subscription | undefined {
  const [letter, signature = '', userId = '', ...rest] = token.split('.');
  const unsubscribing = unsubscribings.find((each) => each.letter === letter);
  if (!unsubscribing || !isId('User', userId) || rest.length > 0) return undefined;
  const subscription = { userId, unsubscribing };
  const isSigned = secrets.some((secret) => isSame(signature, signatureOf(secret, subscription)));
  return isSigned ? subscription : undefined;
}

/** Compares in constant time. */
function isSame(actual: string, expected: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Succeeds also for repeated calls and deleted accounts, so callers learn nothing about accounts. @throws UNAVAILABLE */
export async function unsubscribe(services: Services, { userId, unsubscribing }: Subscription): Promise<void> {
  if (await turnOff(services.connections, userId, unsubscribing))
    services.notifyChanged({ users: [userId], spaces: [userId] });
}
