import { budgetOf, type Context, notCached, signedIn } from '../kernel/context.ts';
import { ResponseBudget } from '../kernel/budget.ts';
import { notFound, reauthenticationRequired, unauthenticated } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import * as data from './session-data.ts';
import { afterEnd } from './session-end.ts';

/**
 * The sessions of an account, the current one first, then by last use. No revision covers their changes, and each of
 * them is another one's current: the answer is not cached.
 * @param userId whose, as the operation knows: after a sign-in not the viewer's
 */
export function sessionsOf(context: Context, userId: string) {
  notCached(context);
  const budget = context.viewer ? budgetOf(context.viewer) : new ResponseBudget();
  return data.findSessions(userId, context.session.id, budget);
}

/**
 * Ends a session of the viewer's; where it is the current one, as signing out does. A stolen session does not shut its user
 * out of the others.
 * @throws REAUTHENTICATION_REQUIRED for another one; NOT_FOUND, also for one that has ended and somebody else's; UNAUTHENTICATED
 *   where the viewer's own has ended meanwhile
 */
export async function endOneSession(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  if (id !== viewer.credential.id) await requireRecentAuthentication(context);
  const ended = isId('Session', id) ? await data.endSessionsOf(viewer, id) : [];
  if (!ended) throw unauthenticated();
  if (ended.length === 0) throw notFound('Session');
  await afterEnd(ended, 'ended_by_user', context);
  // The cookie goes with it.
  if (ended.some(({ sid }) => sid === viewer.sessionId)) await context.session.end(context);
}

/**
 * Ends all sessions of the viewer's but the current one.
 * @returns how many there were
 * @throws REAUTHENTICATION_REQUIRED; UNAUTHENTICATED where the current one has ended meanwhile
 */
export async function endOtherSessions(context: Context): Promise<number> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const ended = await data.endSessionsOf(viewer, undefined);
  if (!ended) throw unauthenticated();
  await afterEnd(ended, 'ended_by_user', context);
  return ended.length;
}

/** Seconds after a sign-up or sign-in for which nobody is asked to prove again who they are. */
const recentSeconds = 10 * 60;

/**
 * For what a session that was left open or stolen may not do: the viewer has signed up or in within ten minutes.
 * @throws REAUTHENTICATION_REQUIRED; UNAUTHENTICATED
 */
export async function requireRecentAuthentication(context: Context): Promise<void> {
  if (!(await data.wasAuthenticatedWithin(signedIn(context).sessionId, recentSeconds)))
    throw reauthenticationRequired();
}
