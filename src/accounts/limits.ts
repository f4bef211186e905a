import { rateLimited, unauthenticated } from '../kernel/errors.ts';
import {
  fixedPolicies,
  type RateLimitPolicy,
  type WindowPolicies,
  type WindowPolicy,
} from '../kernel/rate-limit-policies.ts';
import type { RateLimitStore } from '../rate-limits/rate-limit-store.ts';
import { NetworkLimit } from '../rate-limits/network-limit.ts';
import { RateLimit, Refusals } from '../rate-limits/rate-limits.ts';
import type { AttemptLimit } from './attempts.ts';

export interface AccountLimitOptions {
  policies: WindowPolicies;
  /**
   * Undefined where RATE_LIMITS is off, which leaves the limits that the contract names for codes and sign-in: those of one
   * e-mail address.
   */
  store: RateLimitStore | undefined;
}

/** Wrong present passwords of a session within 15 minutes, after which it ends. */
const presentPasswordFailures = 10;

const failedSignIns = (policy: RateLimitPolicy, message: string, enabled: boolean): AttemptLimit => ({
  name: policy.name,
  failures: policy.quota,
  refusal: (retryAfter, subject) => rateLimited(policy, message, { retryAfter, subject }),
  refused: new Refusals(),
  enabled,
});

/** What one e-mail address, one client, one session and one account may do how often. */
export function accountLimits({ policies, store }: AccountLimitOptions) {
  const ofNetworks = (policy: WindowPolicy, message: string) => new NetworkLimit({ policy, store, message });
  const ofSession = (name: string): AttemptLimit => ({
    name,
    failures: presentPasswordFailures,
    refusal: unauthenticated,
    enabled: store !== undefined,
  });
  return {
    /** Contract decisions: it holds whatever RATE_LIMITS says, for addresses without an account too. */
    signInFailuresOfAddress: failedSignIns(fixedPolicies.signIn, 'Too many failed attempts to sign in', true),
    /** One client that tries the same password on many addresses; many people may share its network, as in an office. */
    signInFailuresOfClient: failedSignIns(
      policies.signInOfClient,
      'Too many failed attempts to sign in from your network',
      store !== undefined,
    ),
    /**
     * Wrong present passwords of one session, where the password is to be changed or the account deleted: it ends then. To guess by
     * a stolen session costs it, and keeps the owner from nothing.
     */
    presentPasswordFailuresOfSession: ofSession('present-password'),
    /** Wrong codes of a second factor of one session, where it is turned on or off: it ends then, as with passwords. */
    factorFailuresOfSession: ofSession('present-factor'),
    /** Subjects for which too many codes were requested: see `issueCode`. */
    refusedCodes: new Refusals(),
    /** Each is a mail to somebody who may not have requested it. */
    codeRequestsOfClient: ofNetworks(policies.codeRequestsOfClient, 'Too many codes were requested from your network'),
    /** Uses of codes, right or wrong ones. */
    codeTriesOfClient: ofNetworks(policies.codeTriesOfClient, 'Too many codes were tried from your network'),
    /** Sign-ins with external providers, begun and ended: each asks the provider for something. */
    providerSignInsOfClient: ofNetworks(
      policies.providerSignInsOfClient,
      'Too many sign-ins with providers from your network',
    ),
    /** Sign-ins by passkeys that are begun: each has a challenge stored. */
    passkeySignInsOfClient: ofNetworks(
      policies.passkeySignInsOfClient,
      'Too many sign-ins by passkeys were begun from your network',
    ),
    /** Each is decoded and re-encoded. */
    uploadsOfAccount: new RateLimit({
      policy: policies.uploadsOfAccount,
      store,
      message: 'Too many pictures were sent by your account',
    }),
    /** Undefined: any number. More than anybody has devices: a program that signs in for each request ends its own old sessions (OWASP ASVS 7.1.2). */
    sessionsOfAccount: store ? 100 : undefined,
  };
}
