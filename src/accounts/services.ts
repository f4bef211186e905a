import { PictureEncoder } from './avatars.ts';
import { type AccountLimitOptions, accountLimits } from './limits.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { hashingTurns } from './passwords.ts';

declare module '../kernel/services.ts' {
  interface Services {
    accounts: ReturnType<typeof accountServices>;
  }
}

interface AccountOptions extends AccountLimitOptions {
  /** Keys the hashes of codes. */
  secret: string;
  passwordPolicy: PasswordPolicy;
}

export const accountServices = ({ secret, passwordPolicy, ...limits }: AccountOptions) => ({
  secret,
  passwordPolicy,
  pictures: new PictureEncoder(),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
});
