import type { Connections } from '../platform/database.ts';
import { PictureEncoder } from './profile/avatars.ts';
import { Credentials } from './credential-data.ts';
import { type AccountLimitOptions, accountLimits } from './limits.ts';
import type { PasswordPolicy } from './sign-in/password-policy.ts';
import { hashingTurns } from './sign-in/passwords.ts';
import { Provider, type ProviderOptions } from './providers/provider.ts';

declare module '../platform/services.ts' {
  interface Services {
    accounts: ReturnType<typeof accountServices>;
  }
}

interface AccountOptions extends AccountLimitOptions {
  connections: Connections;
  /** The first hashes and encrypts. All decrypt. */
  secrets: readonly string[];
  passwordPolicy: PasswordPolicy;
  providers: readonly ProviderOptions[];
  /** Without a trailing slash. */
  publicUrl: string;
  printCode?: PrintCode | undefined;
}

/** For a service without a mail server. */
export type PrintCode = (email: string, code: string) => void;

export const accountServices = ({
  connections,
  secrets,
  passwordPolicy,
  providers,
  publicUrl,
  printCode,
  ...limits
}: AccountOptions) => ({
  secrets,
  printCode,
  secret: secrets[0] ?? '',
  passwordPolicy,
  credentials: new Credentials(connections),
  pictures: new PictureEncoder(),
  limits: accountLimits(limits),
  hashing: hashingTurns(),
  providers: new Map(providers.map((each) => [each.name, new Provider(each, publicUrl)])),
});
