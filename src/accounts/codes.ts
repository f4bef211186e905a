import { randomUUID } from 'node:crypto';
import type { Database } from '../kernel/database.ts';
import { rateLimited } from '../kernel/errors.ts';
import { codeRequestsSince, createCode, lockEmail, newestCode, updateCode } from './data.ts';
import { hashCode, newCode, sameHash } from './secrets.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** Contract, part 8: five requests in any 24 hours for one address. */
const requestsPerDay = 5;
/** Contract, part 8. */
const validity = 5 * minute;
/** The fifth wrong try burns the code. */
const mostAttempts = 5;

/** A request counts towards the quota for so long, in milliseconds. */
export const quotaWindow = day;

/**
 * Makes the address a new code, which replaces the older one.
 * @throws RATE_LIMITED at the sixth request within 24 hours
 */
export async function issueCode(tx: Database, secret: string, email: string): Promise<string> {
  await lockEmail(tx, email);
  const now = Date.now();
  const requests = await codeRequestsSince(tx, email, new Date(now - quotaWindow));
  const oldest = requests.at(-requestsPerDay);
  if (oldest) {
    throw rateLimited('Too many codes were requested for this address', (oldest.getTime() + quotaWindow - now) / 1000);
  }
  const code = newCode();
  await createCode(tx, {
    id: randomUUID(),
    email,
    codeHash: hashCode(secret, email, code),
    createdAt: new Date(now),
    expiresAt: new Date(now + validity),
  });
  return code;
}

/**
 * Uses the address' code up. A wrong try is counted, so the transaction must be kept either way.
 * @returns whether the code was right
 */
export async function redeemCode(tx: Database, secret: string, email: string, code: string): Promise<boolean> {
  await lockEmail(tx, email);
  const newest = await newestCode(tx, email);
  if (!newest || newest.consumedAt || newest.attempts >= mostAttempts || newest.expiresAt.getTime() <= Date.now()) {
    return false;
  }
  const right = sameHash(newest.codeHash, hashCode(secret, email, code));
  await updateCode(tx, newest.id, right ? { consumedAt: new Date() } : { attempts: { increment: 1 } });
  return right;
}
