import { PictureEncoder } from './avatars.ts';
import { type AccountLimitOptions, accountLimits } from './limits.ts';
import { hashingTurns } from './passwords.ts';

declare module '../kernel/services.ts' {
  interface Services {
    accounts: ReturnType<typeof accountServices>;
  }
}

interface AccountOptions extends AccountLimitOptions {
  /** Keys the hashes of codes. */
  secret: string;
}

export const accountServices = ({ secret, ...limits }: AccountOptions) => ({
  secret,
  pictures: new PictureEncoder(),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
});
