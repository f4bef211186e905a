import { log } from '@taskgate/base';
import { isAwayState } from './health.ts';
import { isUnavailable, sqlStateOf } from './errors.ts';

/** SQLSTATEs of the whole server: read-only, no access, full disk and others. */
const ofServer = /^(25006|28|3D|53|58)/;
const warningIntervalMs = 10_000;

/** Belongs to the log, which all apps of the process share. */
const lastSeen = new Map<string, number>();

/** SQLSTATEs of a statement that was cancelled, or needs too much disk or memory. */
const ofStatement = /^(57014|53100|53200)$/;

export const failsForAll = (error: unknown): boolean =>
  isUnavailable(error) && !ofStatement.test(sqlStateOf(error) ?? '');

/** If the database is unavailable for everyone, only the first failure is a warning. */
export function logFailure(error: unknown, message: string, fields: Record<string, unknown> = {}): void {
  log[isLoggedAlready(error) ? 'debug' : 'warn']({ ...fields, error }, message);
}

function isLoggedAlready(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const state = sqlStateOf(error);
  // Health logs these.
  if (state === undefined || isAwayState(state)) return true;
  if (!ofServer.test(state)) return false;
  const now = performance.now();
  const seen = lastSeen.get(state) ?? -Infinity;
  lastSeen.set(state, now);
  return now - seen < warningIntervalMs;
}
