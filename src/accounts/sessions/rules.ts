import { unauthenticated } from '@taskgate/base';
import { type Context, notCached, signedIn } from '../../platform/context.ts';
import { notFound, reauthenticationRequired } from '../../platform/errors.ts';
import { isId } from '../../platform/ids.ts';
import * as data from './data.ts';
import { afterEnd } from './end.ts';

/** The current session first. No revision covers them, and `current` depends on the caller. */
export function sessionsOf(context: Context, userId: string) {
  notCached(context);
  return data.findSessions(context.viewer ?? context.services, userId, context.session.id);
}

/**
 * A recent sign-in protects the other sessions from a stolen one.
 * @throws REAUTHENTICATION_REQUIRED, NOT_FOUND, UNAUTHENTICATED
 */
export async function endOneSession(context: Context, id: string): Promise<void> {
  const viewer = signedIn(context);
  if (id !== viewer.credential.id) await requireRecentAuthentication(context);
  const ended = isId('Session', id) ? await data.endSessionsOf(viewer, id) : [];
  if (!ended) throw unauthenticated();
  if (ended.length === 0) throw notFound('Session');
  await afterEnd(ended, 'ended_by_user', context);
  if (ended.some(({ sid }) => sid === viewer.sessionId)) await context.session.end(context);
}

/** Ends the viewer's other sessions. @throws REAUTHENTICATION_REQUIRED, UNAUTHENTICATED */
export async function endOtherSessions(context: Context): Promise<number> {
  const viewer = signedIn(context);
  await requireRecentAuthentication(context);
  const ended = await data.endSessionsOf(viewer, undefined);
  if (!ended) throw unauthenticated();
  await afterEnd(ended, 'ended_by_user', context);
  return ended.length;
}

const recentSeconds = 10 * 60;

/**
 * Requires a sign-in within ten minutes, for actions that a stolen session must not do.
 * @throws REAUTHENTICATION_REQUIRED, UNAUTHENTICATED
 */
export async function requireRecentAuthentication(context: Context): Promise<void> {
  if (!(await data.wasAuthenticatedWithin(signedIn(context), recentSeconds))) throw reauthenticationRequired();
}
