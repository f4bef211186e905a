import type { ServerResponse } from 'node:http';
import type { RateLimitError } from '../kernel/errors.ts';
import type { RateLimitPolicy } from '../kernel/rate-limit-policies.ts';
import type { Standing } from '../rate-limits/rate-limits.ts';

/**
 * `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10): lists of structured fields (RFC 9651), here of one
 * item each.
 */
const policyOf = ({ name, quota, windowSeconds }: RateLimitPolicy): string =>
  windowSeconds === undefined
    ? `"${name}";q=${quota};qu="concurrent-requests"`
    : `"${name}";q=${quota};w=${windowSeconds}`;

/** Says where the client stands. */
export function sendStanding(response: ServerResponse, { policy, remaining, resetSeconds }: Standing): void {
  response.setHeader('RateLimit-Policy', policyOf(policy));
  response.setHeader('RateLimit', `"${policy.name}";r=${remaining};t=${resetSeconds}`);
}

/** The same of a limit that was met. */
export const headersOfRefusal = ({ policy, retryAfter }: RateLimitError): Record<string, string> => ({
  'RateLimit-Policy': policyOf(policy),
  RateLimit: `"${policy.name}";r=0;t=${retryAfter}`,
});
