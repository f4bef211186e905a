import { TaskgateError } from '@taskgate/base';
import type { RateLimitPolicy } from './policy.ts';

export class RateLimitError extends TaskgateError {
  readonly policy: RateLimitPolicy;
  readonly retryAfter: number;
  /** Key of the client, never shown. Undefined: the caller. */
  readonly subject: string | undefined;

  constructor(policy: RateLimitPolicy, message: string, { retryAfter, subject }: RefusalOptions) {
    const seconds = Math.max(1, Math.ceil(retryAfter));
    super('RATE_LIMITED', message, { retryAfter: seconds });
    this.policy = policy;
    this.retryAfter = seconds;
    this.subject = subject;
  }
}

interface RefusalOptions {
  /** Seconds. */
  retryAfter: number;
  subject?: string | undefined;
}

export const rateLimited = (policy: RateLimitPolicy, message: string, options: RefusalOptions) =>
  new RateLimitError(policy, message, options);
