import { createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { counter, log, TaskgateError } from '@taskgate/base';
import { RateLimitError } from '@taskgate/limits';
import type { Role } from './roles.ts';

export type SessionEndReason =
  | 'sign_out'
  | 'replaced'
  | 'ended_by_user'
  | 'password_changed'
  | 'password_reset'
  | 'failed_attempts'
  | 'too_many_sessions'
  | 'account_deleted'
  | 'idle'
  | 'max_age';

type Factor = 'totp' | 'passkey';

export type CodePurpose = 'SIGN_UP' | 'PASSWORD_RESET' | 'EMAIL_CHANGE';

/**
 * Fields of the events, besides request, user and client. Names are stable, from OWASP's Application Logging Vocabulary
 * if listed there.
 */
interface SecurityEvents {
  authn_code_requested: { purpose: CodePurpose };
  /** A code was wrong, used or expired. */
  authn_code_fail: { purpose: CodePurpose };
  authn_email_change: object;
  authn_factor_change: { userId: string; factor: Factor; change: 'added' | 'removed' };
  authn_factor_fail: { factor: Factor };
  authn_login_success: { userId: string };
  authn_login_fail: { userId: string | undefined };
  authn_password_change: object;
  authn_password_change_fail: object;
  authn_provider_fail: { reason: string };
  authn_provider_linked: { userId: string; provider: string };
  authn_provider_unlinked: { userId: string; provider: string };
  authn_token_created: { tokenId: string };
  authn_token_fail: object;
  authn_token_revoked: { userId: string; tokenId: string };
  authn_password_reset: { userId: string };
  authz_fail: object;
  excess_rate_limit_exceeded: { limit: string };
  /** Refused for its `Origin`, or because browsers send it for a form or link of any site without a CORS preflight. */
  malicious_cors: { reason: 'origin' | 'no_preflight' };
  privilege_permissions_changed: {
    workspaceId: string;
    memberId: string;
    change: 'joined' | 'removed' | 'role';
    /** Role of the member after the change. */
    role: Role | undefined;
  };
  session_expired: { userId: string; reason: SessionEndReason };
  user_created: { userId: string };
  user_deleted: object;
  user_delete_fail: object;
}

type SecurityEvent = keyof SecurityEvents;

export const levelOf = (event: string): 'info' | 'warn' =>
  /_fail$|^excess_|^malicious_/.test(event) ? 'warn' : 'info';

const counts = counter('taskgate_security_events_total', 'Events of the security log, by event.', 'event');

interface SecuritySource {
  requestId?: string;
  viewer: { id: string } | null;
  /** Absent for the service's own actions. */
  clientAddress?: string;
}

const refusals = counter(
  'taskgate_rate_limit_refusals_total',
  'Requests and operations that a rate limit has refused, by limit.',
  'limit',
);

/** Characters, each of six bits. */
const pseudonymLength = 16;

export class SecurityLog {
  readonly #key: Buffer;
  /** Exceeded limits that have been logged, by limit and subject. */
  readonly #exceeded = new LRUCache<string, true>({ max: 10_000, ttl: 1, ttlAutopurge: false });

  /** @param secret processes that share it give a client the same pseudonym */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'taskgate security log', 32));
  }

  /** Details never contain a password, code, cookie or e-mail address. */
  event<Event extends SecurityEvent>(
    event: Event,
    { requestId, viewer, clientAddress }: SecuritySource,
    details: SecurityEvents[Event],
  ): void {
    counts.inc({ event });
    const line: Record<string, unknown> = {
      event,
      requestId,
      userId: viewer?.id,
      client: clientAddress === undefined ? undefined : this.#pseudonymOf(clientAddress),
      ...details,
    };
    log[levelOf(event)](line, 'security');
  }

  refusal(source: SecuritySource, error: unknown): void {
    if (error instanceof RateLimitError) {
      const { name: limit } = error.policy;
      refusals.inc({ limit });
      if (this.#isFirstRefusal(source, error)) this.event('excess_rate_limit_exceeded', source, { limit });
    } else if (error instanceof TaskgateError && error.code === 'FORBIDDEN') {
      this.event('authz_fail', source, {});
    }
  }

  /** Keyed: a plain hash cannot hide the few IPv4 addresses. */
  #pseudonymOf(clientAddress: string): string {
    return createHmac('sha256', this.#key).update(clientAddress).digest('base64url').slice(0, pseudonymLength);
  }

  /** Whether the subject has not been refused since the limit last admitted it. */
  #isFirstRefusal({ viewer, clientAddress }: SecuritySource, error: RateLimitError): boolean {
    const key = `${error.policy.name} ${error.subject ?? viewer?.id ?? clientAddress}`;
    if (this.#exceeded.has(key)) return false;
    this.#exceeded.set(key, true, { ttl: error.retryAfter * 1000 });
    return true;
  }
}
