import { createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { RateLimitError, TaskgateError } from './errors.ts';
import { log } from './logger.ts';
import { counter } from './metrics.ts';

/** Why a session has ended; `idle` and `max_age` are those that end by themselves. */
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

/** A sign-in method other than the password. */
type Factor = 'totp' | 'passkey';

/** What a one-time code is for. */
export type CodePurpose = 'SIGN_UP' | 'PASSWORD_RESET' | 'EMAIL_CHANGE';

/**
 * The events, each with what is logged in addition to request, user and client. The names are stable, and those of
 * OWASP's Application Logging Vocabulary as far as it has one.
 */
interface SecurityEvents {
  authn_code_requested: { purpose: CodePurpose };
  /** A code was wrong, used or expired. */
  authn_code_fail: { purpose: CodePurpose };
  authn_email_change: object;
  /** A way to sign in was added or removed. */
  authn_factor_change: { userId: string; factor: Factor; change: 'added' | 'removed' };
  /** What was to prove a factor was wrong, or used already. */
  authn_factor_fail: { factor: Factor };
  authn_login_success: { userId: string };
  /** The user is notified where the e-mail address has an account. */
  authn_login_fail: { userId: string | undefined };
  authn_password_change: object;
  authn_password_change_fail: object;
  /** A sign-in with an external provider has failed, or a link. */
  authn_provider_fail: { reason: string };
  authn_provider_linked: { userId: string; provider: string };
  authn_provider_unlinked: { userId: string; provider: string };
  authn_token_created: { tokenId: string };
  /** A request brought an access token that is none, or has ended. */
  authn_token_fail: object;
  authn_token_revoked: { userId: string; tokenId: string };
  /** A forgotten password was replaced, by a code. */
  authn_password_reset: { userId: string };
  /** The caller may see something, but not do what they requested. */
  authz_fail: object;
  excess_rate_limit_exceeded: { limit: string };
  /**
   * A request of another origin's page was refused: by its `Origin`, or as it is one that a browser sends for a form or link
   * of any site, without a CORS preflight.
   */
  malicious_cors: { reason: 'origin' | 'no_preflight' };
  /** A membership of a workspace has begun or ended. */
  privilege_permissions_changed: { workspaceId: string; memberId: string; change: 'joined' | 'removed' };
  session_expired: { userId: string; reason: SessionEndReason };
  user_created: { userId: string };
  user_deleted: object;
  /** The present password was wrong where the account was to be deleted. */
  user_delete_fail: object;
}

type SecurityEvent = keyof SecurityEvents;

/** The level of an event, by its name: `warn` for what has failed, or was refused. */
export const levelOf = (event: string): 'info' | 'warn' =>
  /_fail$|^excess_|^malicious_/.test(event) ? 'warn' : 'info';

const counts = counter('taskgate_security_events_total', 'Events of the security log.', 'event');

/** Whose doing an event is; a context is one. */
export interface SecuritySource {
  requestId?: string;
  viewer: { id: string } | null;
  /** As {@link Context.clientAddress}; absent: it is the service's own doing. */
  clientAddress?: string;
}

const refusals = counter(
  'taskgate_rate_limit_refusals_total',
  'Requests and operations that a limit of clients has refused, by limit.',
  'limit',
);

/** Characters of six bits each. */
const pseudonymLength = 16;

export class SecurityLog {
  readonly #key: Buffer;
  /** Limits that were exceeded recently, whose event is written already. */
  readonly #met = new LRUCache<string, true>({ max: 10_000, ttl: 1, ttlAutopurge: false });

  /** @param secret clients are logged by pseudonyms that are made with it: the same in all processes with the same secret */
  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync('sha256', secret, '', 'taskgate security log', 32));
  }

  /** Writes an event to the log, and counts it. Never a password, code, cookie or e-mail address. */
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

  /** Writes the event that an error for the client is, where it is one: a limit was met, or something was forbidden. */
  refusal(source: SecuritySource, error: unknown): void {
    if (error instanceof RateLimitError) {
      const { name: limit } = error.policy;
      refusals.inc({ limit });
      if (this.#isFirstRefusal(source, error)) this.event('excess_rate_limit_exceeded', source, { limit });
    } else if (error instanceof TaskgateError && error.code === 'FORBIDDEN') {
      this.event('authz_fail', source, {});
    }
  }

  /** A client by a name that says nothing of its address to who has not the key: IPv4 has too few to hide them by a hash. */
  #pseudonymOf(clientAddress: string): string {
    return createHmac('sha256', this.#key).update(clientAddress).digest('base64url').slice(0, pseudonymLength);
  }

  /** Whether the event of a limit is written: once for each subject, until it would be let through again, and not for each refusal. */
  #isFirstRefusal({ viewer, clientAddress }: SecuritySource, error: RateLimitError): boolean {
    const key = `${error.policy.name} ${error.subject ?? viewer?.id ?? clientAddress}`;
    if (this.#met.has(key)) return false;
    this.#met.set(key, true, { ttl: error.retryAfter * 1000 });
    return true;
  }
}
