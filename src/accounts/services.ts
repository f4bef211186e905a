import { PictureEncoder } from './avatars.ts';
import { type AccountLimitOptions, accountLimits } from './limits.ts';
import type { PasswordPolicy } from './password-policy.ts';
import { hashingTurns } from './passwords.ts';
import { Provider, type ProviderOptions } from './providers.ts';

declare module '../kernel/services.ts' {
  interface Services {
    accounts: ReturnType<typeof accountServices>;
  }
}

interface AccountOptions extends AccountLimitOptions {
  /** Keys the hashes of codes. */
  secret: string;
  passwordPolicy: PasswordPolicy;
  /** Of external sign-in. */
  providers: readonly ProviderOptions[];
  /** Origin of the service as users see it, without a slash at the end. */
  publicUrl: string;
}

export const accountServices = ({ secret, passwordPolicy, providers, publicUrl, ...limits }: AccountOptions) => ({
  secret,
  passwordPolicy,
  pictures: new PictureEncoder(),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
  providers: new Map(providers.map((each) => [each.name, new Provider(each, publicUrl)])),
});
