import { unauthenticated } from '@taskgate/base';
import {
  NetworkLimit,
  RateLimit,
  rateLimited,
  type RateLimitPolicy,
  Refusals,
  type WindowPolicy,
} from '@taskgate/limits';
import { fixedPolicies, type RateLimits } from '../platform/rate-limit-policies.ts';
import type { AttemptLimit } from './sign-in/attempts.ts';

/** Failures within 15 minutes that end a session. */
const currentPasswordFailures = 10;

const failedSignIns = (policy: RateLimitPolicy, message: string, enabled: boolean): AttemptLimit => ({
  name: policy.name,
  failures: policy.quota,
  refusal: (retryAfter, subject) => rateLimited(policy, message, { retryAfter, subject }),
  refused: new Refusals(),
  enabled,
});

export function accountLimits({ policies, store }: RateLimits) {
  const ofNetworks = (policy: WindowPolicy, message: string) => new NetworkLimit({ policy, store, message });
  const ofSession = (name: string): AttemptLimit => ({
    name,
    failures: currentPasswordFailures,
    refusal: unauthenticated,
    enabled: store !== undefined,
  });
  return {
    /** Holds even if RATE_LIMITS is off (contract decisions). */
    signInFailuresOfAddress: failedSignIns(fixedPolicies.signIn, 'Too many failed attempts to sign in', true),
    /** Many people may share a client's network. */
    signInFailuresOfClient: failedSignIns(
      policies.signInOfClient,
      'Too many failed attempts to sign in from your network',
      store !== undefined,
    ),
    /** A stolen session cannot lock out the owner. */
    currentPasswordFailuresOfSession: ofSession('present-password'),
    factorFailuresOfSession: ofSession('present-factor'),
    /** See `issueCode`. */
    refusedCodes: new Refusals(),
    /** Recipients may not have asked for the mails. */
    codeRequestsOfClient: ofNetworks(policies.codeRequestsOfClient, 'Too many codes were requested from your network'),
    codeTriesOfClient: ofNetworks(policies.codeTriesOfClient, 'Too many codes were tried from your network'),
    /** Each of them calls the provider. */
    providerSignInsOfClient: ofNetworks(
      policies.providerSignInsOfClient,
      'Too many sign-ins with providers from your network',
    ),
    /** Each of them stores a challenge. */
    passkeySignInsOfClient: ofNetworks(
      policies.passkeySignInsOfClient,
      'Too many sign-ins by passkeys were begun from your network',
    ),
    uploadsOfAccount: new RateLimit({
      policy: policies.uploadsOfAccount,
      store,
      message: 'Too many pictures were sent by your account',
    }),
    /** Beyond this number, old sessions end (OWASP ASVS 7.1.2): see `endExcessSessions`. */
    sessionsOfAccount: store ? 100 : undefined,
  };
}
