import { databaseLimits } from '../database/database.ts';
import { logFailure } from '../database/unavailable-log.ts';
import type { Context } from '../kernel/context.ts';
import type { SecurityLog, SessionEndReason } from '../kernel/security-log.ts';
import { inTurn } from '../database/transaction.ts';
import { within } from '../kernel/within.ts';
import * as data from './session-data.ts';

/**
 * To be called once the end of sessions or access tokens of an account is committed, whatever ended them: closes what is open by
 * them, and waits for the writes that they had begun. No write begins by them any more, and none commits after this, but one that
 * has been in flight for longer than a lock is waited for. They have ended all the same then.
 * @param context of the operation that has ended them
 * @param remove deletes them
 */
export async function afterEndOf(
  userId: string,
  what: 'sessions' | 'access tokens',
  { services }: Context,
  remove: () => Promise<unknown>,
): Promise<void> {
  services.notifyChanged({ users: [userId] });
  // They have their own key: they wait for their own writes alone.
  const deleted = inTurn([`${what} of ${userId}`], remove).catch((error: unknown) =>
    logFailure(error, `ended ${what} could not be deleted: pruning will`),
  );
  await within(databaseLimits.lockMs, deleted);
}

/** Logs the end of sessions of an account, and does what is to follow: see {@link afterEndOf}. */
export async function afterEnd(
  ended: readonly data.EndedSession[],
  reason: SessionEndReason,
  context: Context,
): Promise<void> {
  const [first] = ended;
  if (!first) return;
  for (const { userId } of ended) context.services.securityLog.event('session_expired', context, { userId, reason });
  await afterEndOf(first.userId, 'sessions', context, () => data.deleteSessions(ended));
}

/** Deletes sessions that have ended; those that ended by themselves are logged. @returns how many */
export const pruneSessions = (securityLog: SecurityLog): Promise<number> =>
  data.pruneSessions(({ userId, reason }) => {
    if (reason) securityLog.event('session_expired', { viewer: null }, { userId, reason });
  });

/** Ends a session, if it has not ended yet, and does what is to follow. */
export const endSession = async (sid: string, reason: SessionEndReason, context: Context): Promise<void> =>
  afterEnd(await data.endSession(sid), reason, context);
