import { invalid, stream, unauthenticated } from '@taskgate/base';
import type { SubscriptionEvent } from '@taskgate/execution';
import { type Context, signedIn, type Viewer } from '../platform/context.ts';
import { isId } from '../platform/ids.ts';
import { currentPosition, type Polled, pollChanges, positionOf, positionsOfJoined } from './log/catch-up.ts';
import { encodeCursor } from './log/cursor.ts';
import * as data from './log/data.ts';
import { type DeliveredChange, noProject, type ChangeSubscription } from './live/subscription.ts';

export { type PolledChange, pollChanges } from './log/catch-up.ts';

export interface ChangeEvent extends DeliveredChange, SubscriptionEvent<Context> {}

/**
 * Subscribes to task changes since the cursor, then to live ones.
 * @throws UNAUTHENTICATED; CURSOR_EXPIRED; VALIDATION_FAILED for a project that the caller cannot see. The subscription
 * may end with UNAUTHENTICATED, FORBIDDEN, SUBSCRIBER_TOO_SLOW or GOING_AWAY
 */
export async function subscribeToChanges(
  context: Context,
  { after, projectId }: { after?: string | null; projectId?: string | null },
): Promise<AsyncGenerator<ChangeEvent, void>> {
  const viewer = signedIn(context);
  const sessionId = context.session.id;
  const { changes } = context.services;
  if (sessionId === undefined) throw unauthenticated();
  const position = after == null ? currentPosition(viewer) : positionOf(viewer, after);
  const project = projectId == null ? undefined : await findProject(context, projectId);
  if (project?.spaceId === null && after == null) throw noProject();
  return events(await changes.subscribe({ sessionId, viewer, position, project }), context);
}

/** A cursor at the present. */
export const cursorOf = (viewer: Viewer): string => encodeCursor(currentPosition(viewer));

/**
 * Finds the cursor before all changes since a moment. In spaces that the viewer joined later, it starts there.
 * @throws CURSOR_EXPIRED if the moment is older than the retention
 */
export async function cursorAt(viewer: Viewer, since: Date, retentionDays: number): Promise<string> {
  const points = await positionsOfJoined(viewer.connections, viewer.id, viewer.spaceIds, retentionDays, since);
  return encodeCursor({ points });
}

async function findProject(context: Context, id: string) {
  if (!isId('Project', id)) throw noProject();
  return { id, spaceId: await data.spaceOfProject(signedIn(context), id) };
}

function events(open: ChangeSubscription, context: Context): AsyncGenerator<ChangeEvent, void> {
  const deliveries = open.deliveries();
  const next = async (): Promise<IteratorResult<ChangeEvent, void>> => {
    const { done, value } = await deliveries.next();
    if (done) return { done, value: undefined };
    return { done: false, value: { ...value, context: { ...context, viewer: value.viewer, whenSent: undefined } } };
  };
  const stop = () => {
    context.services.changes.forget(open);
    return deliveries.return();
  };
  return stream(next, stop);
}

/**
 * Without a cursor, returns only the current one.
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED; VALIDATION_FAILED if `first` is outside 0 to 500
 */
export async function changesSince(context: Context, after: string | null | undefined, first: number): Promise<Polled> {
  const viewer = signedIn(context);
  if (first < 0 || first > 500) throw invalid('first', 'must be a whole number from 0 to 500');
  if (after == null) return { nodes: [], cursor: encodeCursor(currentPosition(viewer)), hasNextPage: false };
  // A cursor of many spaces takes long, and an operation may have fifty.
  await context.services.turns.next(viewer.id, true);
  return pollChanges(viewer, { after, first, retentionDays: context.services.changes.retentionDays });
}
