import type { KeyedLimiter } from '../kernel/keyed-limiter.ts';
import { attemptTurns } from './attempts.ts';
import { AvatarFolder } from './avatars.ts';
import { type AccountLimitOptions, accountLimits, type AccountLimits } from './limits.ts';
import { type HashingTurns, hashingTurns } from './passwords.ts';

declare module '../kernel/services.ts' {
  interface Services {
    accounts: AccountServices;
  }
}

export interface AccountServices {
  /** Keys the hashes of codes. */
  secret: string;
  avatars: AvatarFolder;
  limits: AccountLimits;
  hashing: HashingTurns;
  /** The turns of tries of a password, by what they are tries of. */
  attempts: KeyedLimiter;
}

export interface AccountOptions extends AccountLimitOptions {
  secret: string;
  dataDir: string;
}

export const accountServices = ({ secret, dataDir, ...limits }: AccountOptions): AccountServices => ({
  secret,
  avatars: new AvatarFolder(dataDir),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
  attempts: attemptTurns(),
});
