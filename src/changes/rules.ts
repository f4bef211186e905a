import type { Context } from '../kernel/context.ts';
import { signedIn } from '../kernel/context.ts';
import { invalid, TaskgateError, unauthenticated } from '../kernel/errors.ts';
import { isId } from '../kernel/ids.ts';
import { log } from '../kernel/logger.ts';
import { gauge } from '../kernel/metrics.ts';
import { every } from '../database/periodic.ts';
import { stream } from '../kernel/stream.ts';
import type { Delivery } from '../graphql/subscribe.ts';
import { type Moved, tellOfMoves } from '../kernel/change-hint.ts';
import { placeOf, type Polled, pollChanges, presentPlace, retention } from './catch-up.ts';
import { encodeCursor } from './cursor.ts';
import * as data from './data.ts';
import { Hub } from './hub.ts';
import { watchSession } from './session-watch.ts';
import { type DeliveredChange, noProject, TaskStream } from './subscription.ts';
import { noChannel, type OpenChannel, WakeUps } from './notifier.ts';
import { postgresChannel } from './notifier-postgres.ts';

/** What the changes room is given at start. */
export interface ChangeOptions {
  /** The database on a connection that stays one; undefined: there is none, and nothing is carried between processes. */
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  retentionDays: number;
}

/** What the app holds of the room. */
export interface ChangeRoom {
  /** Has `end` called once the session has ended, by whatever. @returns what ends the watching */
  watchSession(sessionId: string, end: () => void): () => void;
  /** Ends every subscription, each with the reason. */
  endSubscriptions(): void;
  close(): Promise<void>;
}

const second = 1000;
const hour = 60 * 60 * second;
/** Covers wake-ups that were lost and writers that send none. */
const slowLook = 2 * second;

const goingAway = () => new TaskgateError('GOING_AWAY', 'The service stops: resume in a moment');

let hub: Hub | undefined;

gauge(
  'taskgate_log_lag_seconds',
  'For how long there have been changes to read for subscribers that could not be read yet.',
  () => hub?.lagSeconds ?? 0,
);

let stopping = false;
const streams = new Set<TaskStream>();

/** Redis' client is loaded only where there is a Redis. Without any channel the slow look finds what other processes did. */
async function channelOf(databaseUrl: string | undefined, redisUrl: string | undefined): Promise<OpenChannel> {
  if (redisUrl === undefined) return databaseUrl === undefined ? noChannel : postgresChannel(databaseUrl);
  const { redisChannel } = await import('./notifier-redis.ts');
  return redisChannel(redisUrl);
}

/** Opens the room: from now on the process hears of changes and hands them on. */
export async function openChanges({ databaseUrl, redisUrl, retentionDays }: ChangeOptions): Promise<ChangeRoom> {
  const own = new Hub();
  hub = own;
  stopping = false;
  retention.days = retentionDays;
  const channel = await channelOf(databaseUrl, redisUrl);
  const hear = ({ spaces = [], users = [] }: Moved) => {
    own.moved(spaces);
    own.changed(users);
  };
  const wakeUps = new WakeUps(channel, { moved: hear, lost: () => own.lookAtAll() });
  tellOfMoves((moved) => {
    hear(moved);
    wakeUps.send(moved);
  });
  const looking = every(slowLook, 'the look at what moved', () => Promise.resolve(own.lookAtAll()));
  const pruning = every(hour, 'pruning of the change log', () => pruneChanges(retentionDays));
  return {
    watchSession: (sessionId, end) => watchSession(own, sessionId, end),
    endSubscriptions() {
      stopping = true;
      for (const open of streams) open.end(goingAway());
    },
    async close() {
      looking.stop();
      pruning.stop();
      tellOfMoves(undefined);
      await Promise.all([wakeUps.close(), own.close()]);
    },
  };
}

/** How many subscriptions this process serves. */
export const openSubscriptions = () => streams.size;

/** A change as an event of a subscription: the root value of its execution. */
export interface ChangeEvent extends DeliveredChange, Delivery {}

/**
 * Subscribes to the changes of tasks: first all that was missed since the cursor, then live.
 * @throws UNAUTHENTICATED; CURSOR_EXPIRED; VALIDATION_FAILED for a project that the caller cannot see. While it
 *   runs it ends with UNAUTHENTICATED, FORBIDDEN, SUBSCRIBER_TOO_SLOW or GOING_AWAY
 */
export async function subscribeToChanges(
  context: Context,
  { after, projectId }: { after?: string | null; projectId?: string | null },
): Promise<AsyncGenerator<ChangeEvent, void>> {
  const viewer = signedIn(context);
  const sessionId = context.session.id;
  if (stopping) throw goingAway();
  if (!hub || sessionId === undefined) throw unauthenticated();
  const place = after == null ? presentPlace(viewer) : placeOf(viewer, after);
  const project = projectId == null ? undefined : await findProject(context, projectId);
  if (project?.spaceId === null && after == null) throw noProject();
  const changes = await TaskStream.open({ hub, sessionId, viewer, place, project });
  streams.add(changes);
  return events(changes, context);
}

async function findProject(context: Context, id: string) {
  if (!isId('Project', id)) throw noProject();
  return { id, spaceId: await data.spaceOfProject(signedIn(context), id) };
}

function events(changes: TaskStream, context: Context): AsyncGenerator<ChangeEvent, void> {
  const deliveries = changes.deliveries();
  const next = async (): Promise<IteratorResult<ChangeEvent, void>> => {
    const { done, value } = await deliveries.next();
    if (done) return { done, value: undefined };
    return { done: false, value: { ...value, context: { ...context, viewer: value.viewer, whenSent: undefined } } };
  };
  const stop = () => {
    streams.delete(changes);
    return deliveries.return();
  };
  return stream(next, stop);
}

/**
 * The changes after a cursor, to catch up by polling; without one no changes, and the cursor of now.
 * @throws UNAUTHENTICATED, CURSOR_EXPIRED; VALIDATION_FAILED where `first` is not from 0 to 500
 */
export async function changesSince(context: Context, after: string | null | undefined, first: number): Promise<Polled> {
  const viewer = signedIn(context);
  if (first < 0 || first > 500) throw invalid('first', 'must be a whole number from 0 to 500');
  if (after == null) return { nodes: [], cursor: encodeCursor(presentPlace(viewer)), hasNextPage: false };
  return pollChanges(viewer, after, first);
}

/** Rows that one batch of pruning deletes: a few milliseconds. */
const batch = 500;

/**
 * Forgets changes that are older than so many days, in small batches; writers never wait longer than for one.
 * @returns how many rows were deleted
 */
export async function pruneChanges(days: number): Promise<number> {
  let total = 0;
  for (let idle = 0; idle < 5;) {
    const { deleted, due } = await data.pruneBatch(days, batch);
    total += deleted;
    if (due === 0) break;
    // All spaces of the batch were held by writers: a few more tries, and the rest the next time.
    idle = deleted > 0 ? 0 : idle + 1;
  }
  if (total > 0) log.info({ rows: total }, 'old changes were pruned');
  return total;
}
