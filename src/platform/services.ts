import type { ExecutionServices } from '@taskgate/execution';
import type { ChangeHint } from './change-hint.ts';
import type { SecurityLog } from './security-log.ts';

/**
 * Objects with a lifetime, created by `createServices` (src/services.ts). Each module declares its part next to its
 * code (declaration merging).
 */
export interface Services extends ExecutionServices {
  securityLog: SecurityLog;
  /** Call after the commit, never inside a transaction. */
  notifyChanged: (hint: ChangeHint) => void;
}
