import { rateLimited, unauthenticated } from '../kernel/errors.ts';
import { RateLimit } from '../kernel/rate-limits.ts';
import type { AttemptLimit } from './attempts.ts';

const minute = 60;
const hour = 60 * minute;

/** Wrong codes that a client may try for each that it may ask for: as many as burn one. */
const attemptsPerCode = 5;

export interface AccountLimitOptions {
  /** RATE_LIMITS: false leaves the limits that the contract names for codes and sign-in: those of one e-mail address. */
  enabled: boolean;
  /** Sign-up codes that one client may ask for within an hour, for whatever addresses. */
  codesPerClientPerHour: number;
}

export interface AccountLimits {
  signInFailuresOfAddress: AttemptLimit;
  signInFailuresOfClient: AttemptLimit;
  presentPasswordFailuresOfSession: AttemptLimit;
  codeRequestsOfClient: RateLimit;
  signUpsOfClient: RateLimit;
  /** Sessions that an account may have at once; undefined: any number. */
  sessionsOfAccount: number | undefined;
}

/** What one e-mail address, one client and one session may do how often. */
export const accountLimits = ({ enabled, codesPerClientPerHour }: AccountLimitOptions): AccountLimits => ({
  /** Contract decisions: it holds whatever RATE_LIMITS says, for addresses without an account too. */
  signInFailuresOfAddress: {
    name: 'sign-in',
    failures: 10,
    refusal: (retryAfter) => rateLimited('sign-in', 'Too many failed attempts to sign in', retryAfter),
    enabled: true,
  },
  /** One client that tries the same password on many addresses; many people may share its network, as in an office. */
  signInFailuresOfClient: {
    name: 'sign-in-of-client',
    failures: 300,
    refusal: (retryAfter) =>
      rateLimited('sign-in-of-client', 'Too many failed attempts to sign in from your network', retryAfter),
    enabled,
  },
  /**
   * Wrong present passwords of one session, where the password is to be changed or the account deleted: it ends then. Whoever guesses by a
   * session that is not theirs has to know the password for the next one, and keeps nobody else from changing it.
   */
  presentPasswordFailuresOfSession: {
    name: 'present-password',
    failures: 10,
    refusal: unauthenticated,
    enabled,
  },
  /** Each is a mail to somebody who may not have asked for it. */
  codeRequestsOfClient: new RateLimit({
    name: 'code-requests-of-client',
    points: codesPerClientPerHour,
    durationSeconds: hour,
    message: 'Too many codes were requested from your network',
    enabled,
  }),
  /** Sign-ups, with right codes or wrong ones. */
  signUpsOfClient: new RateLimit({
    name: 'sign-ups-of-client',
    points: attemptsPerCode * codesPerClientPerHour,
    durationSeconds: hour,
    message: 'Too many attempts to sign up from your network',
    enabled,
  }),
  /** More than anybody has devices: a program that signs in for each request ends its own old sessions (OWASP ASVS 7.1.2). */
  sessionsOfAccount: enabled ? 100 : undefined,
});
