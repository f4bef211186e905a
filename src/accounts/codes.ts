import type { Database } from '../database/database.ts';
import { rateLimited } from '../kernel/errors.ts';
import { prune } from '../database/prune.ts';
import { fixedPolicies } from '../kernel/rate-limit-policies.ts';
import * as data from './data.ts';
import { hashCode, newCode } from './secrets.ts';

const minute = 60;
const { codesOfAddress } = fixedPolicies;

/** What holds for the codes of one address; all durations in seconds. */
const rules: data.CodeRules = {
  requests: codesOfAddress.quota,
  requestsWindow: codesOfAddress.windowSeconds,
  /** Contract, part 8. */
  validity: 5 * minute,
  /** The fifth wrong try burns the code. */
  attempts: 5,
};

/**
 * Makes the address a new code, which replaces the older one.
 * @throws RATE_LIMITED at the sixth request within 24 hours
 */
export async function issueCode(tx: Database, secret: string, email: string): Promise<string> {
  await data.lockEmail(tx, email);
  const code = newCode();
  const secondsToWait = await data.createCode(tx, email, hashCode(secret, email, code), rules);
  if (secondsToWait > 0) {
    throw rateLimited(codesOfAddress, 'Too many codes were requested for this address', {
      retryAfter: secondsToWait,
      subject: email,
    });
  }
  return code;
}

/** Whether the code is the address' and could be redeemed now; a wrong try is counted. It does not use the code up. */
export const tryCode = (secret: string, email: string, code: string): Promise<boolean> =>
  data.tryCode(email, hashCode(secret, email, code), rules);

/** Uses the code up, once however many transactions try to at the same time. @returns whether this one did */
export const redeemCode = (tx: Database, secret: string, email: string, code: string): Promise<boolean> =>
  data.redeemCode(tx, email, hashCode(secret, email, code), rules);

/** Forgets requests for codes that no longer count. @returns how many */
export const pruneCodes = () =>
  prune({ table: 'one_time_codes', key: 'id', moment: 'created_at', keptSeconds: rules.requestsWindow });
