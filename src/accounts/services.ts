import { attemptTurns } from './attempts.ts';
import { AvatarFolder } from './avatars.ts';
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
  dataDir: string;
}

export const accountServices = ({ secret, dataDir, ...limits }: AccountOptions) => ({
  secret,
  avatars: new AvatarFolder(dataDir),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
  attempts: attemptTurns(),
});
