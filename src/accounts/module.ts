import { hourly } from '@taskgate/postgres';
import { defineModule } from '../platform/module.ts';
import type { BaseServices } from '../platform/services.ts';
import { attemptWindowSeconds, fixedPolicies } from '../platform/rate-limit-policies.ts';
import { avatarPictures } from './profile/avatar-pictures.ts';
import { accountServices, type AccountSettings } from './services.ts';
import { pruneSessions } from './sessions/end.ts';
import { deviceSeconds } from './sign-in/data.ts';
import { resealSecrets } from './totp/rules.ts';

export const accounts = defineModule({
  name: 'accounts',
  services: (base: BaseServices, settings: AccountSettings) => ({ accounts: accountServices(base, settings) }),
  endpoints: ({ connections }) => [{ path: '/avatars', isLimited: false, handler: avatarPictures(connections) }],
  expiring: {
    accessTokens: { table: 'access_tokens', key: 'hash', moment: 'expires_at' },
    attempts: { table: 'password_attempts', key: 'id', moment: 'at', keptSeconds: attemptWindowSeconds },
    codes: {
      table: 'one_time_codes',
      key: 'id',
      moment: 'created_at',
      keptSeconds: fixedPolicies.codesOfAddress.windowSeconds,
    },
    knownDevices: { table: 'known_devices', key: 'id', moment: 'last_seen_at', keptSeconds: deviceSeconds },
    pendingSignIns: { table: 'pending_sign_ins', key: 'key_hash', moment: 'expires_at' },
  },
  background: ({ accounts: { secrets }, connections, securityLog }) => [
    hourly('pruning of sessions', () => pruneSessions(connections, securityLog)),
    hourly('encryption of TOTP secrets with the current key', () => resealSecrets(connections, secrets)),
  ],
});
