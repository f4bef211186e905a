import type { Deadlines } from './cancellation.ts';
import type { ChangeHint } from './change-hint.ts';
import type { SecurityLog } from './security-log.ts';

/**
 * What has a lifetime: made once for an app by `createServices` (src/services.ts), handed on with the context of each
 * operation, and closed with the app. Each module declares its own part next to the code that makes it, so that no
 * module has to know those above it (TypeScript, declaration merging).
 */
export interface Services {
  deadlines: Deadlines;
  securityLog: SecurityLog;
  /** Says what may have changed. To be called after the commit, never within a transaction. */
  notifyChanged: (hint: ChangeHint) => void;
}
