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
  /** The first keys hashes of codes and encrypts, all decrypt. */
  secrets: readonly string[];
  passwordPolicy: PasswordPolicy;
  providers: readonly ProviderOptions[];
  /** Origin of the service as users see it, without a slash at the end. */
  publicUrl: string;
}

export const accountServices = ({ secrets, passwordPolicy, providers, publicUrl, ...limits }: AccountOptions) => ({
  secrets,
  secret: secrets[0] ?? '',
  passwordPolicy,
  pictures: new PictureEncoder(),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
  providers: new Map(providers.map((each) => [each.name, new Provider(each, publicUrl)])),
});
