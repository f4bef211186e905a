import { RateLimit } from '../kernel/rate-limits.ts';

const minute = 60;
const hour = 60 * minute;

/** Wrong codes that a client may try for each that it may ask for: as many as burn one. */
const attemptsPerCode = 5;

export interface AccountLimitOptions {
  /** RATE_LIMITS: false leaves the limits that the contract names, those for one e-mail address. */
  enabled: boolean;
  /** Sign-up codes that one client may ask for within an hour, for whatever addresses. */
  codesPerClientPerHour: number;
}

/** What one e-mail address, and what one client, may do how often without a session. */
export const accountLimits = ({ enabled, codesPerClientPerHour }: AccountLimitOptions) => ({
  /** One client that tries the same password on many addresses; many people may share its network, as in an office. */
  signInFailuresOfClient: new RateLimit({
    name: 'sign-in-failures-of-client',
    points: 300,
    durationSeconds: 15 * minute,
    message: 'Too many failed attempts to sign in from your network',
    enabled,
  }),
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
});

export type AccountLimits = ReturnType<typeof accountLimits>;
