import type { ExecutionServices } from '@taskgate/execution';
import type { ChangeHint } from './change-hint.ts';
import type { RateLimits } from './rate-limit-policies.ts';
import type { SecurityLog } from './security-log.ts';

/** Objects with a lifetime. Each module creates its part (`module.ts`) and declares its type (declaration merging). */
export interface Services extends ExecutionServices {
  rateLimits: RateLimits;
  /** The first signs and encrypts. All verify and decrypt. */
  secrets: readonly string[];
  securityLog: SecurityLog;
  /** Call after the commit, never inside a transaction. */
  notifyChanged: (hint: ChangeHint) => void;
}

/** Exist before the services of any module. */
export type BaseServices = Pick<
  Services,
  'connections' | 'deadlines' | 'rateLimits' | 'secrets' | 'securityLog' | 'turns'
>;
