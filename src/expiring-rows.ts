import type { ExpiringRows } from '@taskgate/postgres';
import { deviceSeconds } from './accounts/sign-in/data.ts';
import { attemptWindowSeconds, fixedPolicies } from './platform/rate-limit-policies.ts';

/** Deleted within an hour after nothing needs them. Nothing else is deleted with them. */
export const expiringRows = {
  accessTokens: { table: 'access_tokens', key: 'hash', moment: 'expires_at' },
  attempts: { table: 'password_attempts', key: 'id', moment: 'at', keptSeconds: attemptWindowSeconds },
  codes: {
    table: 'one_time_codes',
    key: 'id',
    moment: 'created_at',
    keptSeconds: fixedPolicies.codesOfAddress.windowSeconds,
  },
  // 90 days: longer than reminders are planned ahead.
  deliveries: { table: 'deliveries', key: 'id', moment: 'at', keptSeconds: 90 * 24 * 60 * 60 },
  knownDevices: { table: 'known_devices', key: 'id', moment: 'last_seen_at', keptSeconds: deviceSeconds },
  pendingSignIns: { table: 'pending_sign_ins', key: 'key_hash', moment: 'expires_at' },
  rateLimits: { table: 'rate_limits', key: 'key', moment: 'expires_at' },
} as const satisfies Record<string, ExpiringRows>;
