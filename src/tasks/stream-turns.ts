import { type Context, refreshViewer, signedIn } from '../kernel/context.ts';
import { databaseLimits } from '../database/database.ts';
import { SharedLimiter } from '../kernel/keyed-limiter.ts';

/** Lists that are sent while they are read, at once. Others wait, as those before them may be sent to slow readers. */
export const streamLimits = {
  perAccount: 4,
  inAll: databaseLimits.cursorConnections,
  waitingPerAccount: 100,
  waitingInAll: 1_000,
  /** Milliseconds for which one waits for its turn; then it is refused. */
  waitMs: 240_000,
} as const;

declare module '../kernel/services.ts' {
  interface Services {
    /** The turns of lists that are sent while they are read. */
    lists: SharedLimiter;
  }
}

/** They are in flight no longer: see load-shedding.ts. */
export const listTurns = (): SharedLimiter => {
  const { perAccount, inAll, waitingPerAccount, waitingInAll, waitMs: maxWaitMs } = streamLimits;
  return new SharedLimiter(
    { name: 'lists_of_account', concurrency: perAccount, maxWaiting: waitingPerAccount, maxWaitMs },
    { name: 'lists', concurrency: inAll, maxWaiting: waitingInAll, maxWaitMs },
  );
};

/**
 * Has a list sent while it is read, when it is its turn.
 * @param send reads and sends it, for the viewer as they are by then: the context that it is given
 * @throws UNAVAILABLE where it does not come to its turn; UNAUTHENTICATED where the session has ended meanwhile; the reason
 * of the context's signal
 */
export async function inStreamTurn(context: Context, send: (context: Context) => Promise<void>): Promise<void> {
  const { cancellation } = context;
  const { signal } = cancellation;
  const work = async (hasWaited: boolean) => {
    if (hasWaited) await refreshViewer(context);
    await send({ ...context, viewer: { ...signedIn(context), signal } });
  };
  // Its turn, each of its batches and its client's reading have bounds of their own.
  cancellation.lift();
  await context.services.lists.run(signedIn(context).id, work, signal);
}
