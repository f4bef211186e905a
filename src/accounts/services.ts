import type { Mailer } from '../notifications/mailer.ts';
import type { AvatarFolder } from './avatars.ts';
import type { AccountLimits } from './limits.ts';

/** What the accounts are given at start. */
export interface AccountServices {
  /** Keys the hashes of codes. */
  secret: string;
  mailer: Mailer;
  avatars: AvatarFolder;
  limits: AccountLimits;
}

let services: AccountServices | undefined;

export function openAccounts(given: AccountServices): void {
  services = given;
}

/** What {@link openAccounts} was given. @throws Error where that has not been called */
export function accountServices(): AccountServices {
  if (!services) throw new Error('the accounts are not open');
  return services;
}
