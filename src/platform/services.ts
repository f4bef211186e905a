import type { Deadlines, Turns } from '@taskgate/work';
import type { ChangeHint } from './change-hint.ts';
import type { SecurityLog } from './security-log.ts';

/**
 * Objects with a lifetime, created by `createServices` (src/services.ts). Each module declares its part next to its
 * code (declaration merging).
 */
export interface Services {
  deadlines: Deadlines;
  securityLog: SecurityLog;
  /** Turns of the event loop, for work that must not delay other requests. */
  turns: Turns;
  /** Call after the commit, never inside a transaction. */
  notifyChanged: (hint: ChangeHint) => void;
}
