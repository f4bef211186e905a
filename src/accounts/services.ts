import type { BaseServices } from '../platform/services.ts';
import { PictureEncoder } from './profile/avatars.ts';
import { Credentials } from './credential-data.ts';
import { keyIn } from './credentials.ts';
import { accountLimits } from './limits.ts';
import type { PasswordPolicy } from './sign-in/password-policy.ts';
import { hashingTurns } from './sign-in/passwords.ts';
import { Provider, type ProviderOptions } from './providers/provider.ts';

declare module '../platform/services.ts' {
  interface Services {
    accounts: ReturnType<typeof accountServices>;
  }
}

export interface AccountSettings {
  passwordMinLength: PasswordPolicy['minLength'];
  passwordBlocklist: PasswordPolicy['blocked'] | undefined;
  providers: readonly ProviderOptions[];
  /** Origin without a trailing slash. */
  publicUrl: string;
  printCode?: PrintCode | undefined;
}

/** Prints a code if the service has no mail server. */
export type PrintCode = (email: string, code: string) => void;

export const accountServices = (
  { connections, rateLimits, secrets }: BaseServices,
  { passwordMinLength, passwordBlocklist = new Set(), providers, publicUrl, printCode }: AccountSettings,
) => ({
  secrets,
  printCode,
  secret: secrets[0] ?? '',
  passwordPolicy: { minLength: passwordMinLength, blocked: passwordBlocklist },
  credentials: new Credentials(connections),
  keyIn,
  pictures: new PictureEncoder(),
  limits: accountLimits(rateLimits),
  hashing: hashingTurns(),
  providers: new Map(providers.map((each) => [each.name, new Provider(each, publicUrl)])),
});
