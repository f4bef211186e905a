import { isAwayState } from './health.ts';
import { log } from '../kernel/logger.ts';
import { isUnavailable, sqlStateOf } from './errors.ts';

/** States of the server as a whole, which every request meets: its disk is full, it takes no writes, it lets nobody in. */
const ofServer = /^(25006|28|3D|53|58)/;
/** Milliseconds after the last error of such a state until the next one is a warning again. */
const quietMs = 10_000;

const lastSeen = new Map<string, number>();

/** SQLSTATEs of a statement that by itself was cancelled, or takes more memory or disk than there is. */
const ofStatement = /^(57014|53100|53200)$/;

/** Whether whatever else is asked of the database now fails as well. */
export const failsForAll = (error: unknown): boolean =>
  isUnavailable(error) && !ofStatement.test(sqlStateOf(error) ?? '');

/**
 * Logs that something failed. If that is as the database cannot do it at the moment, and everything else that meets it
 * fails too, it is a warning once, and not for each request, each subscription, each try: those are of level debug.
 */
export function logFailure(error: unknown, message: string, fields: Record<string, unknown> = {}): void {
  log[isLoggedAlready(error) ? 'debug' : 'warn']({ ...fields, error }, message);
}

function isLoggedAlready(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const state = sqlStateOf(error);
  // Health logs those.
  if (state === undefined || isAwayState(state)) return true;
  if (!ofServer.test(state)) return false;
  const now = performance.now();
  const seen = lastSeen.get(state) ?? -Infinity;
  lastSeen.set(state, now);
  return now - seen < quietMs;
}
