import { settlesWithin } from '@taskgate/base';
import { databaseLimits, logFailure } from '@taskgate/postgres';
import type { Connections } from '../../platform/database.ts';
import type { Context } from '../../platform/context.ts';
import type { SecurityLog, SessionEndReason } from '../../platform/security-log.ts';
import { inTurn } from '../../platform/transaction.ts';
import * as data from './data.ts';

/**
 * Closes everything that ended sessions or tokens have open, and waits for their writes. Call it after the commit.
 * Later writes with them fail.
 */
export async function afterEndOf(
  userId: string,
  what: 'sessions' | 'access tokens',
  { services }: Context,
  remove: () => Promise<unknown>,
): Promise<void> {
  services.notifyChanged({ users: [userId] });
  // A separate key waits for no other writes.
  const deleted = inTurn(services.connections, [`${what} of ${userId}`], remove).catch((error: unknown) =>
    logFailure(error, `ended ${what} could not be deleted; the next pruning deletes them`),
  );
  await settlesWithin(databaseLimits.lockMs, deleted);
}

export async function afterEnd(
  ended: readonly data.EndedSession[],
  reason: SessionEndReason,
  context: Context,
): Promise<void> {
  const [first] = ended;
  if (!first) return;
  for (const { userId } of ended) context.services.securityLog.event('session_expired', context, { userId, reason });
  await afterEndOf(first.userId, 'sessions', context, () => data.deleteSessions(context.services.connections, ended));
}

export const pruneSessions = (connections: Connections, securityLog: SecurityLog): Promise<number> =>
  data.pruneSessions(connections, ({ userId, reason }) => {
    if (reason) securityLog.event('session_expired', { viewer: null }, { userId, reason });
  });

export const endSession = async (sid: string, reason: SessionEndReason, context: Context): Promise<void> =>
  afterEnd(await data.endSession(context.services.connections, sid), reason, context);
